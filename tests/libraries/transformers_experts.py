"""transformers: mixtures of experts (Mixtral, Qwen3-MoE, DeepSeek-V3, GPT-OSS): loss, gradients, steps, generate, autocast."""
# pip: transformers
# tolerance: 1e-3
import torch
from transformers import (DeepseekV3Config, DeepseekV3ForCausalLM, GptOssConfig, GptOssForCausalLM, MixtralConfig,
                          MixtralForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM)

SIZES = dict(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
LATENT = dict(moe_intermediate_size=16, n_routed_experts=8, n_group=2, topk_group=1, num_experts_per_tok=2, q_lora_rank=8,
              kv_lora_rank=8, qk_rope_head_dim=4, v_head_dim=8, qk_nope_head_dim=4, first_k_dense_replace=1)
torch.manual_seed(0)
ids = torch.randint(3, 60, (2, 10))
for kind, config in ((MixtralForCausalLM, MixtralConfig(**SIZES, num_local_experts=4, output_router_logits=True)),
                     (Qwen3MoeForCausalLM, Qwen3MoeConfig(**SIZES, head_dim=8, num_experts=4, num_experts_per_tok=2,
                                                          moe_intermediate_size=16)),
                     (DeepseekV3ForCausalLM, DeepseekV3Config(**{**SIZES, "num_key_value_heads": 4}, **LATENT)),
                     (GptOssForCausalLM, GptOssConfig(**SIZES, num_local_experts=4, head_dim=8, sliding_window=6))):
    torch.manual_seed(0)
    net = kind(config)
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    for _ in range(2):
        loss = net(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        slopes = sum(p.grad.abs().sum().item() for p in net.parameters() if p.grad is not None)
        optimizer.step()
        print(kind.__name__, loss.item(), slopes)
    net.eval()
    print(net.generate(ids, max_new_tokens=5, do_sample=False, pad_token_id=0).tolist())
    with torch.autocast("cpu", torch.bfloat16):
        print(round(net(input_ids=ids, labels=ids).loss.item(), 1))
