"""transformers: Trainer, with a schedule, evaluation and a checkpoint that is loaded again."""
# pip: transformers accelerate
# tolerance: 1e-3
import logging

import torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments, set_seed

logging.disable(logging.WARNING)
set_seed(0)


class Texts(torch.utils.data.Dataset):
    def __init__(self, n):
        self.ids = torch.randint(5, 90, (n, 10))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(10, dtype=torch.long), "labels": int(self.ids[i, 0] > 45)}


config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
                    num_labels=2)
net = BertForSequenceClassification(config)
arguments = TrainingArguments("out", max_steps=12, per_device_train_batch_size=8, learning_rate=3e-3, warmup_steps=2,
                              logging_steps=4, save_steps=12, eval_strategy="steps", eval_steps=12, report_to=[], use_cpu=True,
                              disable_tqdm=True,
                              weight_decay=0.01, lr_scheduler_type="cosine")
trainer = Trainer(model=net, args=arguments, train_dataset=Texts(64), eval_dataset=Texts(32))
trainer.remove_callback(PrinterCallback)  # it prints times
result = trainer.train()
print("trained", result.global_step, result.training_loss)
for line in trainer.state.log_history:
    print({key: round(value, 5) for key, value in line.items() if key in ("loss", "learning_rate", "eval_loss", "grad_norm")})
again = BertForSequenceClassification.from_pretrained("out/checkpoint-12")
with torch.no_grad():
    batch = {key: value[None] for key, value in Texts(1)[0].items() if key != "labels"}
    print(again.eval()(**batch).logits.tolist(), net.eval()(**batch).logits.tolist())
