"""transformers: BERT, GPT-2, LLaMA, ViT, Whisper from configurations: loss, gradients, steps, generate."""
# pip: transformers
# tolerance: 1e-3
import torch
from transformers import (BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, ViTConfig,
                          ViTForImageClassification, WhisperConfig, WhisperForConditionalGeneration)


def train(name, net, **inputs):
    net.train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = net(**inputs).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        print(name, loss.item())
    return net.eval()


torch.manual_seed(0)
ids = torch.randint(5, 90, (2, 12))
bert = BertForMaskedLM(BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                  intermediate_size=64))
train("bert", bert, input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids)

gpt = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2))
train("gpt2", gpt, input_ids=ids, labels=ids)
print(gpt.generate(ids[:1, :4], max_new_tokens=8, do_sample=False, pad_token_id=0).tolist())
print(gpt.generate(ids[:1, :4], max_new_tokens=8, num_beams=3, pad_token_id=0).tolist())
torch.manual_seed(3)
print(gpt.generate(ids[:, :4], max_new_tokens=8, do_sample=True, top_k=20, top_p=0.9, temperature=0.8, pad_token_id=0).tolist())

llama = LlamaForCausalLM(LlamaConfig(vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                     num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0))
train("llama", llama, input_ids=ids, labels=ids)
print(llama.generate(ids[:, :4], max_new_tokens=8, do_sample=False).tolist())

vit = ViTForImageClassification(ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                          image_size=32, patch_size=8, num_labels=4))
train("vit", vit, pixel_values=torch.randn(3, 3, 32, 32), labels=torch.tensor([0, 1, 2]))

whisper = WhisperForConditionalGeneration(WhisperConfig(vocab_size=100, num_mel_bins=16, d_model=32, encoder_layers=1,
                                                        decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
                                                        encoder_ffn_dim=64,
                                                        decoder_ffn_dim=64, max_source_positions=50, max_target_positions=32,
                                                        decoder_start_token_id=1, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                                        suppress_tokens=None, begin_suppress_tokens=None))
sound = torch.randn(2, 16, 100)
train("whisper", whisper, input_features=sound, labels=ids)
print(whisper.generate(sound, max_new_tokens=6, do_sample=False).tolist())
with torch.no_grad():
    print(bert(input_ids=ids).logits.abs().mean().item(), llama(input_ids=ids).logits.abs().mean().item())
