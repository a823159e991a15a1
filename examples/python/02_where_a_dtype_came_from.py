"""Lesson 2: the history of a dtype. Run it with: karat run 02_where_a_dtype_came_from.py

A float64 from NumPy doubles the memory of everything it touches. Every tensor knows the line where that began.
"""

import karat
import torch

labels = [0.25, 0.5, 0.75]
targets = torch.tensor(labels, dtype=torch.float64)  # as torch.from_numpy(np.array(labels)) would be
weight = torch.ones(3)
prediction = torch.sigmoid(weight * 2)
loss = (prediction - targets) ** 2

print("The loss is", loss.dtype, "because:")
karat.explain(loss)

history = karat.lineage(loss)
assert {record["to"] for record in history} == {torch.float64}
print("\nAs data:", [(record["why"], record["op"], record["line"]) for record in history])

print("\nThe mend stands where the history begins:")
loss = (prediction - targets.float()) ** 2
karat.explain(loss)
assert loss.dtype == torch.float32
