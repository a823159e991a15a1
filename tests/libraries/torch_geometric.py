"""torch_geometric: GCN, GAT, SAGE and GIN layers, a mini-batch of graphs, pooling and three steps of training."""
# pip: torch_geometric
# but: EdgeIndex, sparse adjacencies and to_hetero (fx) are refused
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_add_pool, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, scatter, to_dense_adj, to_undirected

torch.manual_seed(0)


def graph(n):
    edges = to_undirected(torch.randint(0, n, (2, 2 * n)))
    return Data(x=torch.randn(n, 6), edge_index=edges, y=torch.randint(0, 3, (1,)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GCNConv(6, 16), GATConv(16, 4, heads=4)
        self.three = SAGEConv(16, 16)
        self.four = GINConv(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16)))
        self.head = nn.Linear(32, 3)

    def forward(self, x, edge_index, batch):
        for layer in (self.one, self.two, self.three, self.four):
            x = layer(x, edge_index).relu()
        return self.head(torch.cat([global_mean_pool(x, batch), global_add_pool(x, batch)], 1))


loader = DataLoader([graph(n) for n in (5, 8, 6, 9)], batch_size=2, shuffle=True)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(3):
    for batch in loader:
        loss = nn.functional.cross_entropy(net(batch.x, batch.edge_index, batch.batch), batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("loss", step, batch.num_graphs, tuple(batch.edge_index.shape), loss.item())
edges = batch.edge_index
print(batch, degree(edges[0]).tolist(), to_dense_adj(edges).sum().item(), add_self_loops(edges)[0].shape)
print([scatter(batch.x, batch.batch, reduce=way).sum().item() for way in ("sum", "mean", "max", "mul")])
