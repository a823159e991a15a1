"""sentence-transformers: a BERT of random weights, mean pooling, embeddings, cosine loss and a search."""
# pip: sentence-transformers
# tolerance: 1e-3
import os

import torch
from sentence_transformers import InputExample, SentenceTransformer, losses, util
from sentence_transformers.models import Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast

torch.manual_seed(0)
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"a cat dog sits runs on the mat road red blue small big".split()]
os.makedirs("bert", exist_ok=True)
with open("bert/vocab.txt", "w") as file:
    file.write("\n".join(words))
BertTokenizerFast("bert/vocab.txt").save_pretrained("bert")
BertModel(BertConfig(vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                     hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)).save_pretrained("bert")
part = Transformer("bert", max_seq_length=16)
net = SentenceTransformer(modules=[part, Pooling(32)], device="cpu")
texts = ["a cat sits on the mat", "the dog runs on the road", "a small red cat", "big blue dog"]
found = net.encode(texts, convert_to_tensor=True, show_progress_bar=False)
print(found.shape, util.cos_sim(found, found).tolist())
pairs = [InputExample(texts=[texts[0], texts[2]], label=0.9), InputExample(texts=[texts[0], texts[1]], label=0.1)]
loss_of = losses.CosineSimilarityLoss(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
net.train()
for _ in range(3):
    sentences, labels = zip(*[(one.texts, one.label) for one in pairs])
    features = [net.tokenize(list(side)) for side in zip(*sentences)]
    loss = loss_of(features, torch.tensor(labels))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
net.eval()
found = net.encode(texts, convert_to_tensor=True, show_progress_bar=False)
print([[(hit["corpus_id"], round(hit["score"], 4)) for hit in hits] for hits in util.semantic_search(found[:1], found, top_k=3)])
