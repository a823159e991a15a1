"""peft: LoRA on a GPT-2 of random weights: trained, merged, saved and loaded."""
# pip: peft transformers
# tolerance: 1e-3
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
base = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=32, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0, embd_pdrop=0,
                                  attn_pdrop=0))
weights = {name: value.clone() for name, value in base.state_dict().items()}
net = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules=["c_attn"], task_type="CAUSAL_LM", lora_dropout=0.0,
                                      fan_in_fan_out=True))
print(net.get_nb_trainable_parameters())
ids = torch.randint(100, (2, 10))
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-2)
for _ in range(4):
    loss = net(input_ids=ids, labels=ids).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
net.save_pretrained("lora")
fresh = GPT2LMHeadModel(base.config)
fresh.load_state_dict(weights)
again = PeftModel.from_pretrained(fresh, "lora").merge_and_unload()
with torch.no_grad():
    print(net.eval()(input_ids=ids).logits.sum().item(), again.eval()(input_ids=ids).logits.sum().item())
