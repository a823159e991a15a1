"""Short programs with one wrong dtype each, for test_fixes_in_source.py. `## name` begins one; every fix proposed for it is typed
into its source, and the program must then run. All begin with HEAD."""

HEAD = """import numpy as np
import karat as torch
import karat.nn as nn
import karat.nn.functional as F
"""

TEXT = '''
## linear
fc = nn.Linear(3, 4)
x = torch.ones(2, 3).double()
y = fc(x)
## linear, integers
fc = nn.Linear(3, 4)
x = torch.arange(6).reshape(2, 3)
y = fc(x)
## linear without a name
y = nn.Linear(3, 4)(torch.ones(2, 3, dtype=torch.float64))
## bilinear
b = nn.Bilinear(3, 4, 2)
x, z = torch.ones(2, 3), torch.ones(2, 4).double()
y = b(x, z)
## conv1d
conv = nn.Conv1d(2, 3, 3)
x = torch.from_numpy(np.ones((1, 2, 8)))
y = conv(x)
## moved to a device by name
device = torch.device("cpu")
fc = nn.Linear(3, 4)
noise = torch.from_numpy(np.ones((2, 3))).to(device)
y = fc(noise)
## made in a shape of names, and moved
n, device = 3, "cpu"
fc = nn.Linear(3, 4)
noise = torch.ones(n * 2, dtype=torch.float64).reshape(2, n).to(device=device)
y = fc(noise)
## moved and cast at once
device = "cpu"
lstm = nn.LSTM(3, 4)
x = torch.ones(2, 1, 3).to(device, torch.float64)
y = lstm(x)
## moved and cast at once, by names
device = torch.device("cpu")
fc = nn.Linear(3, 4)
x = torch.ones(6)
x = x.reshape(-1, 3).to(device=device, dtype=torch.float64)
y = fc(x)
## returned by a loader
def load():
    features = torch.from_numpy(np.ones((2, 3)))
    return features
fc = nn.Linear(3, 4)
x = load()
y = fc(x)
## returned with others by a loader
def load():
    return torch.ones(2, 4), torch.from_numpy(np.ones((2, 3)))
fc = nn.Linear(3, 4)
target, x = load()
y = fc(x)
## returned by a method
class Memory:
    def sample(self, n):
        actions = torch.ones(n, 1)
        return torch.ones(n, 2), actions
memory = Memory()
states, actions = memory.sample(3)
q = states.gather(1, actions)
## conv2d
conv = nn.Conv2d(2, 3, 3).half()
x = torch.ones(1, 2, 8, 8)
y = conv(x)
## conv3d
conv = nn.Conv3d(1, 1, 2)
y = conv(torch.ones(1, 1, 4, 4, 4).double())
## conv_transpose2d
conv = nn.ConvTranspose2d(2, 3, 3)
x = torch.ones(1, 2, 8, 8, dtype=torch.float64)
y = conv(x)
## conv2d functional
w = torch.ones(3, 2, 3, 3)
x = torch.ones(1, 2, 8, 8, dtype=torch.float64)
y = F.conv2d(x, w, bias=None, padding=1)
## conv2d bias
w = torch.ones(3, 2, 3, 3)
b = torch.zeros(3).double()
y = F.conv2d(torch.ones(1, 2, 8, 8), w, b)
## batch norm
bn = nn.BatchNorm2d(2)
x = torch.arange(32).reshape(2, 2, 2, 4)
y = bn(x)
## layer norm
norm = nn.LayerNorm(4)
x = torch.ones(2, 4).double()
y = norm(x)
## group norm
norm = nn.GroupNorm(2, 4)
x = torch.ones(2, 4, 3, dtype=torch.float64)
y = norm(x)
## embedding layer
table = nn.Embedding(10, 3)
ids = torch.tensor([1.0, 2.0])
y = table(ids)
## embedding functional
table = torch.ones(10, 3)
ids = torch.tensor([1.0, 2.0])
y = F.embedding(ids, table)
## embedding of a quotient
table = torch.ones(10, 3)
ids = torch.tensor([2, 4])
y = F.embedding(ids / 2, table)
## embedding bag
bag = nn.EmbeddingBag(10, 3)
ids = torch.ones(2, 2)
y = bag(ids)
## attention's mask
attention = nn.MultiheadAttention(4, 2)
x = torch.ones(3, 1, 4)
mask = torch.zeros(3, 3, dtype=torch.float64)
y, w = attention(x, x, x, attn_mask=mask)
## attention's key
attention = nn.MultiheadAttention(4, 2)
x = torch.ones(3, 1, 4)
key = torch.ones(3, 1, 4).double()
y, w = attention(x, key, x)
## attention's input
attention = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.from_numpy(np.ones((1, 3, 4)))
y, w = attention(x, x, x, need_weights=False)
## scaled dot product
q, k = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4)
v = torch.ones(1, 2, 3, 4).half()
y = F.scaled_dot_product_attention(q, k, v)
## scaled dot product mask
q = torch.ones(1, 2, 3, 4)
mask = torch.ones(3, 3, dtype=torch.int64)
y = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
## lstm states
rnn = nn.LSTM(4, 2)
x = torch.ones(3, 1, 4)
h = torch.zeros(1, 1, 2).double()
y, state = rnn(x, (h, h))
## lstm input
rnn = nn.LSTM(4, 2)
x = torch.from_numpy(np.ones((3, 1, 4)))
y, state = rnn(x)
## gru input
rnn = nn.GRU(4, 2)
x = torch.ones(3, 1, 4).double()
y, state = rnn(x)
## gru without biases
gru = nn.GRU(3, 4, bias=False)
x, h = torch.ones(5, 2, 3), torch.zeros(1, 2, 4).half()
y, h = gru(x, h)
## max_unpool
pool = nn.MaxUnpool2d(2)
x, places = torch.ones(1, 1, 2, 2), torch.tensor([[[[0.0, 2.0], [8.0, 10.0]]]])
y = pool(x, places)
## fractional pooling
samples = torch.rand(1, 1, 2, dtype=torch.float64)
y = F.fractional_max_pool2d(torch.ones(1, 1, 5, 5), 2, output_size=2, _random_samples=samples)
## ctc lengths
probabilities = torch.ones(5, 1, 3).log_softmax(2)
lengths = torch.tensor([5.0])
loss = F.ctc_loss(probabilities, torch.tensor([[1, 2]]), lengths, torch.tensor([2]))
## gru state
rnn = nn.GRU(4, 2, num_layers=2)
x = torch.ones(3, 1, 4)
h = torch.zeros(2, 1, 2, dtype=torch.float64)
y, state = rnn(x, h)
## rnn state
rnn = nn.RNN(4, 2)
x = torch.ones(3, 1, 4)
h = torch.zeros(1, 1, 2, dtype=torch.float64)
y, state = rnn(x, h)
## lstm cell
cell = nn.LSTMCell(4, 2)
x = torch.ones(1, 4)
h, c = torch.zeros(1, 2, dtype=torch.float64), torch.zeros(1, 2)
h, c = cell(x, (h, c))
## gru cell
cell = nn.GRUCell(4, 2)
x = torch.ones(1, 4, dtype=torch.float64)
h = cell(x)
## transformer layer
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
x = torch.from_numpy(np.ones((1, 3, 4)))
y = layer(x)
## transformer mask
layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
x = torch.ones(3, 1, 4)
mask = torch.zeros(3, 3, dtype=torch.float64)
y = layer(x, src_mask=mask)
## sequential
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
x = torch.ones(2, 3, dtype=torch.float64)
y = net(x)
## sequential, one layer of another dtype
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2).double())
y = net(torch.ones(2, 3))
## prelu
act = nn.PReLU()
x = torch.ones(3, dtype=torch.float64)
y = act(x)
## cross entropy targets
scores = torch.ones(2, 3)
classes = torch.tensor([0.0, 1.0])
loss = F.cross_entropy(scores, classes)
## cross entropy layer
loss_of = nn.CrossEntropyLoss()
scores = torch.ones(2, 3)
classes = torch.tensor([0, 1], dtype=torch.int32)
loss = loss_of(scores, classes)
## cross entropy weight
scores = torch.ones(2, 3)
loss = F.cross_entropy(scores, torch.tensor([0, 1]), weight=torch.ones(3, dtype=torch.float64))
## nll
logs = torch.zeros(2, 3)
target = torch.ones(2)
loss = F.nll_loss(logs, target)
## mse of integers
x = torch.arange(3)
loss = F.mse_loss(x, x)
## bce with logits, integers
x = torch.ones(3)
t = torch.tensor([0, 1, 1])
loss = F.binary_cross_entropy(x.sigmoid(), t)
## kl
p = torch.arange(3)
loss = F.kl_div(p, torch.ones(3) / 3)
## indices
x = torch.arange(5.0)
indices = torch.tensor([0.0, 1.0])
y = x[indices]
## indices of an attribute
class Box: pass
box = Box()
box.i = torch.tensor([0.0, 1.0])
x = torch.arange(5.0)
y = x[box.i]
## indices computed
x = torch.arange(6.0).reshape(2, 3)
i = torch.tensor([0, 2])
y = x[i / 2]
## indices beside a slice
x = torch.arange(6.0).reshape(2, 3)
i = torch.tensor([0.0, 2.0])
y = x[:, i]
## indices assigned
x = torch.arange(5.0)
i = torch.tensor([0.0, 2.0])
x[i] = 1.0
## index_select
x = torch.arange(5.0)
i = torch.tensor([0.0, 2.0])
y = torch.index_select(x, 0, i)
## gather
x = torch.ones(2, 3)
where = torch.zeros(2, 1)
y = x.gather(1, where)
## gather of integers
x = torch.ones(2, 3)
where = torch.zeros(2, 1, dtype=torch.int16)
y = torch.gather(x, 1, where)
## scatter
x = torch.zeros(2, 3)
where = torch.zeros(2, 1)
y = x.scatter(1, where, 1.0)
## scatter source
x = torch.zeros(2, 3)
where = torch.zeros(2, 1, dtype=torch.int64)
src = torch.ones(2, 1, dtype=torch.float64)
y = x.scatter(1, where, src)
## scatter_add in place
x = torch.zeros(2, 3)
where = torch.zeros(2, 1, dtype=torch.int64)
x.scatter_add_(1, where, torch.ones(2, 1).double())
## index_add
x = torch.zeros(3, 3)
i = torch.tensor([0, 2])
x.index_add_(0, i, torch.ones(2, 3).half())
## index_put values
x = torch.zeros(3)
v = torch.ones(1, dtype=torch.float64)
x.index_put_((torch.tensor([1]),), v)
## take
x = torch.zeros(3)
y = torch.take(x, torch.tensor([0.0]))
## masked_fill mask
x = torch.zeros(3)
mask = torch.tensor([1, 0, 1])
y = x.masked_fill(mask, 2.0)
## masked_select
x = torch.zeros(3)
mask = torch.ones(3)
y = torch.masked_select(x, mask)
## where
condition = torch.ones(3)
y = torch.where(condition, torch.ones(3), torch.zeros(3))
## one_hot
labels = torch.tensor([0.0, 2.0])
y = F.one_hot(labels, 3)
## bincount
labels = torch.tensor([0.0, 2.0])
y = torch.bincount(labels)
## matmul operator
a = torch.ones(2, 3)
b = torch.ones(3, 2, dtype=torch.float64)
c = a @ b
## matmul in place
a = torch.ones(2, 2)
b = torch.ones(2, 2, dtype=torch.float64)
a = a.matmul(b)
## mm chained
a = torch.ones(2, 3)
c = a.t().mm(torch.ones(2, 4).double()).sum()
## bmm
a = torch.ones(1, 2, 3).bfloat16()
b = torch.ones(1, 3, 2)
c = torch.bmm(a, b)
## addmm, one tensor twice
a = torch.ones(2, 2)
b = torch.ones(2, 2, dtype=torch.float64)
c = torch.addmm(a, b, a)
## dot
a = torch.ones(3)
b = torch.arange(3)
c = torch.dot(a, b)
## outer chain
a = torch.ones(3)
b = torch.ones(3, 3, dtype=torch.float64)
c = (a + 1) @ (b - 1)
## einsum
a = torch.ones(2, 3)
b = torch.ones(3, 4, dtype=torch.float64)
c = torch.einsum("ij,jk->ik", a, b)
## minus of a bool
c = torch.ones(3) > 0
d = -c
## bool minus bool
a = torch.ones(3) > 0
b = torch.zeros(3) > 0
c = a - b
## bool in place
c = torch.ones(3) > 0
c -= 1
## bool in place, a method
c = torch.tensor([True, False])
c.sub_(1)
## bitwise of floats
a = torch.ones(3)
b = torch.ones(3)
c = a & b
## shift of floats
a = torch.ones(3)
b = a << 1
## invert a float
mask = torch.ones(3)
y = ~mask
## integers in place
i = torch.arange(3)
i /= 2
## integers in place by floats
i = torch.arange(3)
i.add_(torch.ones(3))
## integers in an item
i = torch.arange(6).reshape(2, 3)
i[0] += 0.5
## attribute in place
class Box: pass
box = Box()
box.n = torch.arange(3)
box.n *= 0.5
## out
out = torch.empty(2, dtype=torch.int64)
torch.mul(torch.ones(2), 0.5, out=out)
## out of mm
out = torch.empty(2, 2)
a = torch.ones(2, 2, dtype=torch.float64)
torch.mm(a, a, out=out)
## mean
i = torch.arange(4)
m = torch.mean(i)
## mean over a dimension
i = torch.arange(4).reshape(2, 2)
m = i.mean(0)
## std
i = torch.arange(4)
m = i.std()
## softmax of integers
i = torch.arange(4)
p = i.softmax(0)
## log_softmax functional
i = torch.arange(4)
p = F.log_softmax(i, dim=0)
## norm
i = torch.arange(4)
n = torch.linalg.norm(i)
## norm method
n = torch.arange(4).norm()
## quantile
x = torch.ones(4, dtype=torch.float16)
q = torch.quantile(x, 0.5)
## inverse
a = torch.ones(2, 2, dtype=torch.int64) + torch.eye(2, dtype=torch.int64)
b = torch.linalg.inv(a)
## solve
a = torch.eye(2)
b = torch.ones(2, dtype=torch.float64)
x = torch.linalg.solve(a, b)
## cholesky
a = torch.eye(2).half()
x = torch.linalg.cholesky(a)
## svd of integers
a = torch.ones(2, 2, dtype=torch.int32)
u, s, v = torch.linalg.svd(a)
## complex from parts
re = torch.ones(3)
im = torch.ones(3, dtype=torch.float64)
z = torch.complex(re, im)
## view_as_complex
x = torch.ones(3, 2, dtype=torch.int64)
z = torch.view_as_complex(x)
## compare complex
z = torch.ones(2, dtype=torch.complex64)
b = z > 0
## max of complex
z = torch.ones(2, dtype=torch.complex64)
m = z.max()
## floor of complex
z = torch.ones(2, dtype=torch.complex64)
m = torch.floor(z)
## lerp
a = torch.ones(3)
b = torch.ones(3, dtype=torch.float64)
c = torch.lerp(a, b, 0.5)
## cdist
a = torch.ones(2, 3)
b = torch.ones(2, 3, dtype=torch.float64)
d = torch.cdist(a, b)
## multinomial
weights = torch.tensor([1, 2])
i = torch.multinomial(weights, 1)
## bernoulli
p = torch.tensor([0, 1])
b = torch.bernoulli(p)
## normal
mean = torch.arange(3)
x = torch.normal(mean, 1.0)
## dropout
x = torch.arange(3)
y = F.dropout(x, 0.5)
## relu of bools
x = torch.tensor([True, False])
y = F.relu(x)
## gelu of integers
x = torch.arange(3)
y = F.gelu(x)
## sigmoid in place
x = torch.arange(3)
x.sigmoid_()
## interpolate
x = torch.arange(16).reshape(1, 1, 4, 4)
y = F.interpolate(x, scale_factor=2, mode="bilinear")
## grid_sample
x = torch.ones(1, 1, 4, 4)
grid = torch.zeros(1, 2, 2, 2, dtype=torch.float64)
y = F.grid_sample(x, grid, align_corners=False)
## max pool of bools
x = torch.ones(1, 1, 4, 4).bool()
y = F.max_pool2d(x, 2)
## requires grad
w = torch.tensor([1, 2, 3])
w.requires_grad_()
## requires grad, an attribute
w = torch.arange(3)
w.requires_grad = True
## parameter of integers
w = nn.Parameter(torch.arange(3))
## linear functional
x = torch.ones(2, 3)
w = torch.ones(4, 3).double()
y = F.linear(x, w)
## baddbmm
s = torch.ones(1, 2, 2)
y = torch.baddbmm(s, torch.ones(1, 2, 3), torch.ones(1, 3, 2, dtype=torch.float64))
## module of the user
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.scale = torch.from_numpy(np.ones((4, 2)))

    def forward(self, x):
        h = self.fc(x)
        return h @ self.scale

net = Net()
y = net(torch.ones(2, 3))
## buffer of the user
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mix", torch.from_numpy(np.ones((3, 3))))

    def forward(self, x):
        return x @ self.mix

net = Net()
y = net(torch.ones(2, 3))
## parameter of the user
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3, 2, dtype=torch.float64))

    def forward(self, x):
        return x @ self.w

net = Net()
y = net(torch.ones(2, 3))
## modules in a list
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

net = Net()
batch = torch.from_numpy(np.ones((2, 3)))
y = net(batch)
## in a loop
w = torch.ones(3, 3)
for i in range(2):
    x = torch.ones(2, 3).double()
    y = x @ w
## loop over a list
w = torch.ones(3)
for x in [torch.ones(3, dtype=torch.float64)]:
    y = w.dot(x)
## loop with enumerate
data = torch.from_numpy(np.ones((2, 3)))
w = torch.ones(3)
for i, row in enumerate(data):
    y = torch.dot(row, w)
## lambda
w = torch.ones(3)
f = lambda x: torch.dot(w, x)
y = f(torch.ones(3).double())
## comprehension
w = torch.ones(3)
xs = [torch.ones(3, dtype=torch.float64) for _ in range(2)]
ys = [w.dot(x) for x in xs]
## generator
w = torch.ones(3)
xs = torch.ones(2, 3, dtype=torch.float64)
total = sum(torch.dot(x, w) for x in xs)
## f-string
w = torch.ones(3)
x = torch.ones(3).double()
print(f"{w.dot(x)}")
## several lines
a = torch.ones(2, 3)
b = torch.ones(3, 2, dtype=torch.float64)
c = torch.mm(
    a,
    b,
)
## an operator over lines
a = torch.ones(2, 3)
b = torch.ones(3, 2, dtype=torch.float64)
c = (a
     @ b)
## chained
x = torch.ones(2, 3)
w = torch.ones(3, 2, dtype=torch.float64)
y = x.add(1).mul(2).matmul(w).sum()
## starred
operands = [torch.ones(2, 3), torch.ones(3, 2, dtype=torch.float64)]
y = torch.mm(*operands)
## keywords
a = torch.ones(2, 3)
b = torch.ones(3, 2, dtype=torch.float64)
y = torch.mm(mat2=b, input=a)
## starred keywords
options = {"mat2": torch.ones(3, 2, dtype=torch.float64)}
y = torch.mm(torch.ones(2, 3), **options)
## a dictionary
batch = {"x": torch.from_numpy(np.ones((2, 3)))}
y = nn.Linear(3, 2)(batch["x"])
## a dictionary's entry
batch = {}
batch["x"] = torch.from_numpy(np.ones((2, 3)))
fc = nn.Linear(3, 2)
y = fc(batch["x"])
## annotated
fc = nn.Linear(3, 2)
x: torch.Tensor = torch.from_numpy(np.ones((2, 3)))
y = fc(x)
## tuple
a, b = torch.ones(2), torch.from_numpy(np.ones(2))
c = torch.dot(a, b)
## walrus
w = torch.ones(2)
if (x := torch.ones(2, dtype=torch.float64)) is not None:
    y = torch.dot(w, x)
## attribute
class Box:
    def __init__(self):
        self.scale = torch.from_numpy(np.ones(2))

box = Box()
y = torch.dot(torch.ones(2), box.scale)
## default of a parameter
def f(x, w=torch.ones(2, dtype=torch.float64)):
    return torch.dot(x, w)

y = f(torch.ones(2))
## with
import contextlib
w = torch.ones(2)
with contextlib.nullcontext(torch.ones(2, dtype=torch.float64)) as x:
    y = torch.dot(w, x)
## two names
a = b = torch.ones(2, dtype=torch.float64)
y = torch.dot(torch.ones(2), b)
## global
SCALE = torch.ones(2, dtype=torch.float64)

def f(x):
    return torch.dot(x, SCALE)

y = f(torch.ones(2))
## conditional expression
big = True
x = torch.ones(2).double() if big else torch.ones(2)
y = torch.dot(torch.ones(2), x)
## nested call
def norm(v):
    return v / 2

x = torch.ones(2, dtype=torch.float64)
y = torch.dot(torch.ones(2), norm(x))
## returned by a function
def load():
    return torch.from_numpy(np.ones((2, 3)))

fc = nn.Linear(3, 2)
y = fc(load())
## returned and named
def load():
    return torch.from_numpy(np.ones((2, 3)))

fc = nn.Linear(3, 2)
x = load()
y = fc(x)
## a try
w = torch.ones(2)
x = torch.ones(2, dtype=torch.float64)
try:
    y = torch.dot(w, x)
except ValueError:
    pass
## return
def f(x, w):
    return x @ w

y = f(torch.ones(2, 3), torch.ones(3).double())
## an assert
w = torch.ones(2)
x = torch.ones(2, dtype=torch.float64)
assert torch.dot(w, x) == 2
## a statement of several on one line
w = torch.ones(2); x = torch.ones(2, dtype=torch.float64)
y = torch.dot(w, x); z = y + 1
## decorated
@torch.no_grad()
def f(x, w):
    return torch.dot(x, w)

y = f(torch.ones(2), torch.ones(2).double())
## async
async def f(x, w):
    return torch.dot(x, w)

try:
    f(torch.ones(2), torch.ones(2).double()).send(None)
except StopIteration:
    pass
## items of a list
parts = [torch.ones(2), torch.ones(2, dtype=torch.float64)]
y = torch.dot(parts[0], parts[1])
## a list comprehension of a class
class Bag:
    def __init__(self):
        self.parts = [torch.ones(2), torch.ones(2).double()]

    def dot(self):
        return torch.dot(self.parts[0], self.parts[1])

y = Bag().dot()
## cat into
parts = [torch.ones(2), torch.ones(2)]
out = torch.empty(4, dtype=torch.int64)
torch.cat(parts, out=out)
## backward of another dtype
w = torch.ones(3, requires_grad=True)
y = w * 2
y.backward(torch.ones(3, dtype=torch.complex64))
## optimizer of integers
w = torch.arange(3)
opt = torch.optim.SGD([w.requires_grad_()], lr=0.1)
## copy of a state
fc = nn.Linear(2, 2)
fc.weight.data = torch.ones(2, 2, dtype=torch.float64)
y = fc(torch.ones(2))
## a weight that is replaced
fc = nn.Linear(2, 2)
fc.weight = nn.Parameter(torch.from_numpy(np.ones((2, 2))))
y = fc(torch.ones(2))
## half on the way
x = torch.ones(2, 3)
fc = nn.Linear(3, 2).half()
y = fc(x)
## to
x = torch.ones(2, 3)
fc = nn.Linear(3, 2).to(torch.float64)
y = fc(x)
## to of a tensor
x = torch.ones(2, 3).to(torch.float64)
fc = nn.Linear(3, 2)
y = fc(x)
## type
x = torch.ones(2, 3).type(torch.float64)
y = x @ torch.ones(3, 2)
## type_as
like = torch.zeros(1, dtype=torch.float64)
x = torch.ones(2, 3).type_as(like)
y = x @ torch.ones(3, 2)
## a cast by assignment
net = nn.Linear(3, 2)
net.double()
y = net(torch.ones(2, 3))
## numpy's scalar
x = torch.tensor(np.float64(2.0)).reshape(1)
y = torch.dot(torch.ones(1), x)
## a list of python floats
x = torch.tensor([0.5, 1.5], dtype=torch.double)
y = torch.dot(torch.ones(2), x)
## vstack
x = torch.vstack([torch.ones(2), torch.ones(2, dtype=torch.float64)])
y = x @ torch.ones(2)
## promotion
i = torch.arange(3) * np.pi
x = torch.ones(3, dtype=torch.float64) + i
y = torch.dot(torch.ones(3), x)
## mse in backward
net = nn.Linear(3, 1)
x = torch.ones(2, 3)
t = torch.from_numpy(np.ones((2, 1)))
loss = F.mse_loss(net(x), t)
loss.backward()
## mse layer in backward, in a function
net, loss_of = nn.Linear(3, 1), nn.MSELoss()

def step(x, target):
    loss = loss_of(net(x), target)
    loss.backward()

step(torch.ones(2, 3), torch.from_numpy(np.ones((2, 1))))
## mse in backward, made elsewhere
net = nn.Linear(3, 1)

def loss_of(x, target):
    return F.mse_loss(net(x), target)

t = torch.ones(2, 1, dtype=torch.float64)
loss = loss_of(torch.ones(2, 3), t)
loss.backward()
## huber in backward
w = torch.ones(3, requires_grad=True)
t = torch.ones(3, dtype=torch.float64)
loss = F.huber_loss(w * 2, t)
loss.backward()
## with a view
x = torch.ones(4, 3, dtype=torch.float64)
y = x[:2] @ torch.ones(3, 2)
## transposed
x = torch.ones(3, 4, dtype=torch.float64)
y = x.T @ torch.ones(3, 2)
## power
x = torch.eye(3)
y = torch.matrix_power(x.long(), -1)
## ones of the shape
a = torch.ones(2, 2)
b = torch.zeros_like(a, dtype=torch.float64)
c = torch.mm(a, b)
## new_ones
a = torch.ones(2, 2)
b = a.new_ones(2, 2, dtype=torch.float16)
c = a.mm(b)
## full
a = torch.full((2, 2), 7)
c = torch.mm(a, torch.ones(2, 2))
## full of floats
a = torch.full((2,), 1.0, dtype=torch.float64)
c = torch.dot(torch.ones(2), a)
## linspace
a = torch.linspace(0, 1, 4, dtype=torch.float64)
b = torch.ones(4)
c = b.dot(a)
## random
a = torch.randn(2, 3, dtype=torch.float64)
fc = nn.Linear(3, 1)
y = fc(a)
## a generator
g = torch.Generator()
a = torch.rand(2, 3, generator=g, dtype=torch.float64)
fc = nn.Linear(3, 1)
y = fc(a)
## as_tensor
data = np.random.rand(2, 3)
x = torch.as_tensor(data)
y = nn.Linear(3, 1)(x)
## numpy ints
labels = torch.from_numpy(np.array([0, 1], dtype=np.int32))
loss = F.cross_entropy(torch.zeros(2, 3), labels)
## from a list of numpy
xs = [np.ones(3), np.ones(3)]
batch = torch.tensor(np.array(xs))
y = nn.Linear(3, 1)(batch)
## stacked
rows = [torch.from_numpy(np.ones(3)) for _ in range(2)]
batch = torch.stack(rows)
y = nn.Linear(3, 1)(batch)
## dataset
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return np.ones(3), np.ones(1)

net = nn.Linear(3, 1)
for x, t in torch.utils.data.DataLoader(Data(), batch_size=2):
    y = net(x)
## dataset of tensors
data = torch.utils.data.TensorDataset(torch.ones(4, 3), torch.zeros(4))
scores = nn.Linear(3, 2)
for x, t in torch.utils.data.DataLoader(data, batch_size=2):
    loss = F.cross_entropy(scores(x), t)
## a method of the user
class Trainer:
    def __init__(self, net):
        self.net = net

    def step(self, batch):
        x, t = batch
        return F.nll_loss(self.net(x), t)

trainer = Trainer(nn.Linear(3, 2))
loss = trainer.step((torch.ones(2, 3), torch.zeros(2)))
## two layers of the user
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return F.relu(self.fc(x)) + x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block())
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(self.blocks(x))

net = Net()
x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
y = net(x)
## integers into a net of the user
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        x = x.flatten(1)
        return self.fc(x)

net = Net()
x = torch.randint(0, 255, (2, 3))
y = net(x)
## bytes of an image
image = torch.zeros(1, 3, 8, 8, dtype=torch.uint8)
conv = nn.Conv2d(3, 4, 3)
y = conv(image)
## bytes of an image, scaled
image = torch.zeros(1, 3, 8, 8, dtype=torch.uint8)
conv = nn.Conv2d(3, 4, 3).double()
y = conv(image / 255)
## mask by comparison
x = torch.ones(3)
m = x > 0
y = torch.ones(2, 3) @ m
## argmax
x = torch.ones(2, 3)
best = x.argmax(1)
y = best.mean()
## counts
x = torch.ones(3) == 1
rate = x.mean()
## labels as floats
labels = (torch.arange(3) % 2).float()
loss = F.cross_entropy(torch.zeros(3, 2), labels)
## targets as integers
labels = torch.arange(3) % 2
loss = F.binary_cross_entropy_with_logits(torch.zeros(3), labels)
## targets as integers, bce
labels = torch.arange(3) % 2
loss = nn.BCELoss()(torch.zeros(3).sigmoid(), labels)
## embedding into attention
table = nn.Embedding(5, 4).double()
attention = nn.MultiheadAttention(4, 2)
x = table(torch.tensor([[1, 2]]))
y = attention(x, x, x)
## positions
table = nn.Embedding(5, 4)
positions = torch.arange(0, 3, 0.5)
y = table(positions)
## a state in half
fc = nn.Linear(3, 3)
fc.half()
y = fc(torch.ones(1, 3)).sum()
## to by keyword
fc = nn.Linear(3, 3).to(dtype=torch.bfloat16)
x = torch.ones(1, 3)
y = fc(x)
## default dtype
torch.set_default_dtype(torch.float64)
fc = nn.Linear(3, 3)
torch.set_default_dtype(torch.float32)
y = fc(torch.ones(1, 3))
## in place item
x = torch.zeros(3, dtype=torch.int64)
x[0] *= 1.5
## in place slice method
x = torch.zeros(3, dtype=torch.int64)
x[1:].add_(0.5)
## augmented attribute matmul
class Box: pass
box = Box()
box.m = torch.eye(2)
box.m @= torch.eye(2, dtype=torch.float64)
## add_ with bool
x = torch.tensor([True, False])
x += 2
## a complex in place
x = torch.ones(2)
x += 1j
## index_copy
x = torch.zeros(3, 3)
x.index_copy_(0, torch.tensor([0]), torch.ones(1, 3, dtype=torch.float64))
## index_fill
x = torch.zeros(3, 3)
y = x.index_fill(0, torch.tensor([0.0]), 1.0)
## take_along_dim
x = torch.ones(2, 3)
i = torch.zeros(2, 1)
y = torch.take_along_dim(x, i, dim=1)
## scatter_reduce
x = torch.zeros(3)
i = torch.tensor([0, 1])
y = x.scatter_reduce(0, i, torch.ones(2, dtype=torch.float64), reduce="sum")
## an index of no dims
x = torch.arange(6.0).view(2, 3)
row = torch.tensor(1.0)
y = x[row]
## a list of indices
x = torch.arange(6.0).view(2, 3)
y = x[torch.tensor([0.0]), torch.tensor([1])]
## a float as a size
n = torch.tensor(3.0)
y = torch.zeros(3)[:n]
## bmm of a reshaped
q = torch.ones(2, 3, 4)
k = torch.ones(2, 3, 4, dtype=torch.float64)
y = torch.bmm(q, k.transpose(1, 2))
## softmax of attention
q = torch.ones(2, 3, 4)
k = torch.ones(2, 3, 4, dtype=torch.float64)
y = (q @ k.transpose(-2, -1)).softmax(-1)
## scaled
q = torch.ones(2, 3)
k = torch.ones(3, 2, dtype=torch.float64)
y = F.softmax(q @ k / 2 ** 0.5, dim=-1)
## a chain over lines
q = torch.ones(2, 3)
k = torch.ones(3, 2, dtype=torch.float64)
y = (
    q.add(1)
    .matmul(k)
    .relu()
)
## keyword over lines
x = torch.ones(2, 3)
y = F.linear(
    input=x,
    weight=torch.ones(4, 3, dtype=torch.float64),
)
## call in a call
a, b = torch.ones(2, 2), torch.ones(2, 2).double()
y = torch.relu(torch.mm(a, b)).sum()
## the same twice in a line
a, b = torch.ones(2, 2), torch.ones(2, 2).double()
y = torch.mm(a, a) + torch.mm(a, b)
## a nested list
w = torch.ones(2, dtype=torch.float64)
ys = [[torch.dot(x, w) for x in row] for row in [[torch.ones(2)]]]
## dict comprehension
w = torch.ones(2, dtype=torch.float64)
ys = {k: torch.dot(v, w) for k, v in {"a": torch.ones(2)}.items()}
## map
w = torch.ones(2, dtype=torch.float64)
ys = list(map(lambda v: v @ w, [torch.ones(2)]))
## partial
import functools
f = functools.partial(torch.dot, torch.ones(2, dtype=torch.float64))
y = f(torch.ones(2))
## closure
def make(w):
    def f(x):
        return torch.dot(x, w)
    return f

y = make(torch.ones(2, dtype=torch.float64))(torch.ones(2))
## property
class Box:
    @property
    def w(self):
        return torch.ones(2, dtype=torch.float64)

y = torch.dot(torch.ones(2), Box().w)
## while
w = torch.ones(2)
x = torch.ones(2, dtype=torch.float64)
while torch.dot(w, x) > 3:
    pass
## ternary
w = torch.ones(2)
x = torch.ones(2, dtype=torch.float64)
y = torch.dot(w, x) if True else 0
## return of a tuple
def f(w, x):
    return 1, torch.dot(w, x)

y = f(torch.ones(2), torch.ones(2, dtype=torch.float64))
## yield
def f(w, x):
    yield torch.dot(w, x)

y = next(f(torch.ones(2), torch.ones(2, dtype=torch.float64)))
## args passed on
def f(*args):
    return torch.dot(*args)

y = f(torch.ones(2), torch.ones(2, dtype=torch.float64))
## options passed on
def f(**options):
    return F.linear(**options)

y = f(input=torch.ones(2, 3), weight=torch.ones(2, 3, dtype=torch.float64))
## a dataclass
import dataclasses
@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    t: torch.Tensor

batch = Batch(torch.ones(2, 3), torch.zeros(2))
loss = F.cross_entropy(batch.x, batch.t)
## a named tuple
import collections
Batch = collections.namedtuple("Batch", "x t")
batch = Batch(torch.ones(2, 3), torch.zeros(2))
loss = F.cross_entropy(batch.x, batch.t)
## slots
class Box:
    __slots__ = ("w",)

box = Box()
box.w = torch.ones(2, dtype=torch.float64)
y = torch.dot(torch.ones(2), box.w)
## a class attribute
class Box:
    W = torch.ones(2, dtype=torch.float64)

    def dot(self, x):
        return torch.dot(x, self.W)

y = Box().dot(torch.ones(2))
## a global changed by a function
W = None

def init():
    global W
    W = torch.ones(2, dtype=torch.float64)

init()
y = torch.dot(torch.ones(2), W)
## autograd function
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w.float()

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return grad @ w.T, None

x = torch.ones(2, 3, requires_grad=True)
w = torch.ones(3, 2, dtype=torch.float64)
Double.apply(x, w).sum().backward()
## vmap
w = torch.ones(3, dtype=torch.float64)
y = torch.vmap(lambda row: torch.dot(row, w))(torch.ones(2, 3))
## grad of a function
w = torch.ones(3, dtype=torch.float64)
y = torch.func.grad(lambda x: torch.dot(x, w))(torch.ones(3))
## under autocast
with torch.autocast("cpu", dtype=torch.bfloat16):
    a = torch.ones(2, 2) @ torch.ones(2, 2)
y = a @ torch.ones(2, 2)
## no_grad
with torch.no_grad():
    x = torch.ones(2, 2, dtype=torch.float64)
    y = x @ torch.ones(2, 2)
## try in a loop
w = torch.ones(2)
for k in range(2):
    try:
        y = torch.dot(w, torch.ones(2, dtype=torch.float64))
    finally:
        k += 1
## a semicolon
a = torch.ones(2); b = torch.ones(2).double(); c = torch.dot(a, b)
## a comment
a = torch.ones(2)  # ones
b = torch.ones(2, dtype=torch.float64)  # and more: torch.ones(2)
c = torch.dot(a, b)  # a dot b
## unicode
größe = torch.ones(2)
ß = torch.ones(2, dtype=torch.float64)
c = torch.dot(größe, ß)
## a string before
a = torch.ones(2, dtype=torch.float64)
text = """
x = torch.ones(2)
"""; c = torch.dot(a, torch.ones(2))
## one line if
a, b = torch.ones(2), torch.ones(2).double()
if True: c = torch.dot(a, b)
## exec like nesting
class A:
    class B:
        def f(self, a, b):
            def g():
                return torch.dot(a, b)
            return g()

A.B().f(torch.ones(2), torch.ones(2, dtype=torch.float64))
## functional with out
out = torch.empty(2, 2, dtype=torch.float64)
torch.matmul(torch.ones(2, 2), torch.ones(2, 2), out=out)
## out in a view
big = torch.empty(4, 4, dtype=torch.int64)
torch.add(torch.ones(4), 0.5, out=big[0])
## optimizer
net = nn.Linear(2, 2)
net.weight.grad = torch.ones(2, 2, dtype=torch.float64)
## load state
net = nn.Linear(2, 2)
net.load_state_dict({k: v.double() for k, v in net.state_dict().items()})
x = torch.from_numpy(np.ones((1, 2)))
y = net(x)
## a scalar parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.from_numpy(np.eye(2)))

    def forward(self, x):
        return F.linear(x, self.w)

y = Net()(torch.ones(1, 2))
## a functional chain
x = torch.ones(1, 1, 4, 4)
k = torch.ones(1, 1, 3, 3, dtype=torch.float64)
y = F.relu(F.conv2d(F.pad(x, (1, 1, 1, 1)), k))
## instance norm
x = torch.ones(1, 2, 4, 4, dtype=torch.float64)
y = nn.InstanceNorm2d(2, affine=True)(x)
## rms norm
x = torch.ones(2, 4, dtype=torch.int64)
y = nn.RMSNorm(4)(x)
## cosine similarity
a = torch.arange(3)
y = F.cosine_similarity(a, a, dim=0)
## pixel shuffle then conv
x = torch.ones(1, 4, 2, 2, dtype=torch.float64)
y = nn.Conv2d(1, 1, 1)(F.pixel_shuffle(x, 2))
## unfold
x = torch.ones(1, 1, 4, 4, dtype=torch.float64)
y = torch.ones(1, 4) @ F.unfold(x, 2)[0]
## triplet
a, p = torch.ones(2, 3), torch.ones(2, 3)
n = torch.ones(2, 3, dtype=torch.int64)
y = F.cross_entropy(a, n[:, 0].int())
## lstm lists
rnn = nn.LSTM(4, 2, batch_first=True)
x = [torch.from_numpy(np.ones((3, 4)))]
y, state = rnn(torch.stack(x))
## packed
rnn = nn.GRU(4, 2)
x = torch.ones(3, 1, 4, dtype=torch.float64)
packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3]))
y, state = rnn(packed)
## decoder
decoder = nn.TransformerDecoderLayer(4, 2, 8)
memory = torch.ones(3, 1, 4, dtype=torch.float64)
y = decoder(torch.ones(3, 1, 4), memory)
## used before
w = torch.ones(3, 3)
a = torch.ones(2, 3) @ w
b = torch.ones(2, 3, dtype=torch.float64) @ w
## used before, by a layer
net = nn.Linear(3, 3)
x = torch.ones(2, 3)
y = net(x)
wide = nn.Linear(3, 3).double()
z = wide(x)
## named anew
fc = nn.Linear(3, 2)
x = torch.from_numpy(np.ones((2, 3)))
x = x * 2
y = fc(x)
## named anew, a view
fc = nn.Linear(3, 2)
x = torch.from_numpy(np.ones((3, 2)))
x = x.t()
y = fc(x)
## made in a loop
fc = nn.Linear(3, 2)
for i in range(2):
    x = torch.full((1, 3), float(i), dtype=torch.float64)
    y = fc(x)
## of a helper of the user
def cast(x):
    return x.double()

x = cast(torch.ones(2, 3))
y = nn.Linear(3, 2)(x)
## of a helper that moves
def ready(x, dtype):
    return x.to("cpu", dtype)

x = ready(torch.ones(2, 3), torch.float64)
fc = nn.Linear(3, 2)
y = fc(x)
## parenthesised
a, b = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
c = (a) @ (b)
## a negative
a, b = torch.ones(2), torch.ones(2, dtype=torch.float64)
c = torch.dot(-a, b)
## a conditional operand
a, b = torch.ones(2), torch.ones(2, dtype=torch.float64)
c = torch.dot(a if True else b, b)
## a starred tuple
a, b = torch.ones(2), torch.ones(2, dtype=torch.float64)
pair = (a, b)
c = torch.dot(*pair)
## unpacked
first, *rest = torch.ones(2), torch.ones(2, dtype=torch.float64)
c = torch.dot(first, rest[0])
## swapped
a, b = torch.ones(2), torch.ones(2, dtype=torch.float64)
a, b = b, a
c = torch.dot(a, b)
## a nested dictionary
batch = {"in": {"x": torch.ones(2, 3, dtype=torch.float64)}}
fc = nn.Linear(3, 2)
y = fc(batch["in"]["x"])
## get of a dictionary
batch = {"x": torch.ones(2, 3, dtype=torch.float64)}
fc = nn.Linear(3, 2)
y = fc(batch.get("x"))
## a module dictionary
nets = nn.ModuleDict({"a": nn.Linear(3, 2)})
y = nets["a"](torch.ones(1, 3).double())
## a module list
nets = nn.ModuleList([nn.Linear(3, 2)])
y = nets[0](torch.ones(1, 3).double())
## a layer of a net of the user
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x):
        return self.body[0](x)

net = Net()
y = net(torch.ones(1, 3).double())
## a layer that is shared
fc = nn.Linear(3, 3)
net = nn.Sequential(fc, nn.Tanh(), fc)
y = net(torch.ones(1, 3, dtype=torch.float64))
## forward called
fc = nn.Linear(3, 3)
y = fc.forward(torch.ones(1, 3, dtype=torch.float64))
## a weight by hand
fc = nn.Linear(3, 3)
x = torch.ones(1, 3, dtype=torch.float64)
y = x @ fc.weight.t() + fc.bias
## a bias by hand
fc = nn.Linear(3, 3)
x = torch.ones(1, 3, dtype=torch.float64)
y = torch.addmm(fc.bias, x, fc.weight.t())
## a loss of a net in half
net = nn.Linear(3, 1).half()
loss = F.l1_loss(net(torch.ones(2, 3)), torch.ones(2, 1))
## an index of a batch
scores = torch.ones(4, 3)
picked = scores[torch.arange(4), torch.tensor([0.0, 1.0, 2.0, 0.0])]
## an index from numpy
scores = torch.ones(4, 3)
best = torch.from_numpy(np.array([0.0, 2.0]))
rows = scores[best]
## an item of a loop
xs = torch.ones(3)
ks = torch.tensor([0.0, 1.0])
for k in ks:
    y = xs[k]
## a mask of ints
x = torch.ones(3)
keep = torch.tensor([1, 0, 1])
x[keep.float()] = 0
## put into by a float
x = torch.ones(3)
x.scatter_(0, torch.tensor([0.0]), 5.0)
## nll of a chain
x = torch.ones(2, 3)
t = torch.tensor([0.0, 1.0])
loss = F.nll_loss(F.log_softmax(x, dim=1), t.squeeze())
## of a reshaped target
x = torch.ones(2, 3)
t = torch.ones(2, 1)
loss = nn.CrossEntropyLoss()(x, t.view(-1))
## a lambda in a dictionary
ops = {"dot": lambda a, b: torch.dot(a, b)}
y = ops["dot"](torch.ones(2), torch.ones(2, dtype=torch.float64))
## sorted by a key
w = torch.ones(2, dtype=torch.float64)
xs = sorted([torch.ones(2), torch.zeros(2)], key=lambda x: float(x @ w))
## a print
a = torch.ones(2)
b = torch.ones(2, dtype=torch.float64)
print("dot", torch.dot(a, b), sep="=")
## raised
a = torch.ones(2)
b = torch.ones(2, dtype=torch.float64)
try:
    raise ValueError(torch.dot(a, b))
except ValueError:
    pass
## deleted
w = torch.ones(2, dtype=torch.float64)
x = torch.ones(2)
del_me = [torch.dot(w, x)]
del del_me[0]
## an if of one line
a = torch.ones(2)
b = torch.ones(2, dtype=torch.float64)
if torch.dot(a, b) > 0: pass
## in a class body
class Consts:
    a = torch.ones(2)
    b = torch.ones(2, dtype=torch.float64)
    c = torch.dot(a, b)
## in a default
w = torch.ones(2, dtype=torch.float64)

def f(x=torch.dot(torch.ones(2), w)):
    return x
## in a decorator
w = torch.ones(2, dtype=torch.float64)

def tagged(value):
    return lambda f: f

@tagged(torch.dot(torch.ones(2), w))
def f():
    pass
## in a match
w = torch.ones(2, dtype=torch.float64)
match float(torch.dot(torch.ones(2), w)):
    case _:
        pass
## in with
w = torch.ones(2, dtype=torch.float64)
import contextlib
with contextlib.nullcontext(torch.dot(torch.ones(2), w)) as y:
    pass
'''


def programs():
    parts = TEXT.split("\n## ")[1:]
    named = {}
    for part in parts:
        name, _, source = part.partition("\n")
        assert name not in named, name
        named[name] = HEAD + source.rstrip("\n")
    return named
