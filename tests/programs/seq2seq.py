"""Sequences of several lengths, packed, an encoder with attention over it, and a decoder that is taught at random."""
import torch
import torch.nn as nn
import random
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence, pack_sequence

torch.manual_seed(0)
random.seed(0)


class Encoder(nn.Module):
    def __init__(s, v, e, h):
        super().__init__()
        s.emb = nn.Embedding(v, e, padding_idx=0)
        s.rnn = nn.GRU(e, h, bidirectional=True, batch_first=True)
        s.fc = nn.Linear(2 * h, h)

    def forward(s, x, lens):
        p = pack_padded_sequence(s.emb(x), lens.cpu(), batch_first=True, enforce_sorted=False)
        o, h = s.rnn(p)
        o, l = pad_packed_sequence(o, batch_first=True)
        return o, torch.tanh(s.fc(torch.cat((h[-2], h[-1]), 1))), l


class Attn(nn.Module):
    def __init__(s, h):
        super().__init__()
        s.a = nn.Linear(3 * h, h)
        s.v = nn.Linear(h, 1, bias=False)

    def forward(s, hid, enc, mask):
        hid = hid.unsqueeze(1).repeat(1, enc.size(1), 1)
        e = s.v(torch.tanh(s.a(torch.cat((hid, enc), 2)))).squeeze(2)
        return e.masked_fill(mask == 0, -1e10).softmax(1)


class Decoder(nn.Module):
    def __init__(s, v, e, h):
        super().__init__()
        s.v = v
        s.emb = nn.Embedding(v, e)
        s.attn = Attn(h)
        s.rnn = nn.GRUCell(e + 2 * h, h)
        s.out = nn.Linear(h, v)
        s.drop = nn.Dropout(0.3)

    def forward(s, x, hid, enc, mask):
        a = s.attn(hid, enc, mask).unsqueeze(1)
        w = torch.bmm(a, enc).squeeze(1)
        hid = s.rnn(torch.cat((s.drop(s.emb(x)), w), 1), hid)
        return s.out(hid), hid


enc, dec = Encoder(20, 8, 12), Decoder(20, 8, 12)
params = list(enc.parameters()) + list(dec.parameters())
opt = torch.optim.Adam(params, 1e-2)
for step in range(6):
    seqs = [torch.randint(1, 20, (random.randint(2, 7),)) for _ in range(5)]
    x = pad_sequence(seqs, batch_first=True)
    lens = torch.tensor([len(t) for t in seqs])
    tgt = x.flip(1)
    mask = x != 0
    o, hid, l = enc(x, lens)
    inp = torch.full((5,), 1)
    loss = 0
    for t in range(tgt.size(1)):
        pred, hid = dec(inp, hid, o, mask)
        loss = loss + nn.functional.cross_entropy(pred, tgt[:, t], ignore_index=0, reduction="sum")
        inp = tgt[:, t] if random.random() < 0.5 else pred.argmax(1)
    loss = loss / mask.sum()
    opt.zero_grad()
    loss.backward()
    n = nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    print(step, f"{loss.item():.5f} {n:.5f}", l.tolist())
p = pack_sequence([torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5])])
print(p)
print(p.data.dtype, p.batch_sizes, pad_packed_sequence(p))
lstm = nn.LSTM(3, 4, num_layers=2, dropout=0.2, proj_size=2)
out, (h, c) = lstm(torch.ones(5, 2, 3))
print(out.shape, h.shape, c.shape, out.sum().item())
