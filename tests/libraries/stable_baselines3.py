"""stable-baselines3: PPO, A2C, DQN and SAC for some hundred steps on CartPole and Pendulum."""
# pip: stable-baselines3
# tolerance: 1e-3
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.evaluation import evaluate_policy

torch.set_num_threads(1)
for kind, name, options in ((PPO, "CartPole-v1", {"n_steps": 64, "batch_size": 32, "n_epochs": 2}), (A2C, "CartPole-v1", {}),
                            (DQN, "CartPole-v1", {"learning_starts": 50, "buffer_size": 500}),
                            (SAC, "Pendulum-v1", {"learning_starts": 50, "buffer_size": 500, "batch_size": 32})):
    model = kind("MlpPolicy", name, seed=0, device="cpu", verbose=0, **options)
    model.learn(128)
    total = sum(p.double().sum().item() for p in model.policy.parameters())
    print(kind.__name__, total, model.num_timesteps)
    model.save("model")
    again = kind.load("model", device="cpu")
    print(sum(p.double().sum().item() for p in again.policy.parameters()) == total)
print(evaluate_policy(PPO("MlpPolicy", "CartPole-v1", seed=0, device="cpu"), PPO("MlpPolicy", "CartPole-v1", seed=1,
                                                                                  device="cpu").get_env(), 2, warn=False))
