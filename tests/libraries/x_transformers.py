"""x-transformers: a GPT with rotary positions and an encoder-decoder, three steps each, and greedy generation."""
# pip: x-transformers
# tolerance: 1e-3
import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper, XTransformer

torch.manual_seed(0)
gpt = AutoregressiveWrapper(TransformerWrapper(num_tokens=64, max_seq_len=32, attn_layers=Decoder(
    dim=32, depth=2, heads=4, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True)))
pair = XTransformer(dim=32, enc_num_tokens=64, enc_depth=1, enc_heads=4, enc_max_seq_len=16, dec_num_tokens=64, dec_depth=1,
                    dec_heads=4, dec_max_seq_len=16, tie_token_emb=True)
tokens, source = torch.randint(1, 64, (2, 17)), torch.randint(1, 64, (2, 12))
for net, args in ((gpt, (tokens,)), (pair, (source, tokens[:, :16]))):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(3):
        loss = net(*args)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        print("loss", step, loss.item())
gpt.eval()
print(gpt.generate(tokens[:, :4], 8, temperature=0.0).tolist())
