"""A small GAN on points of a ring."""

import math

import torch
from torch import nn, optim

LATENT = 8


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(LATENT, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, noise):
        return self.net(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, points):
        return self.net(points)


def ring(count):
    angle = torch.rand(count) * 2 * math.pi
    return torch.stack([angle.cos(), angle.sin()], dim=1)


def train(steps=400, size=64):
    generator, discriminator = Generator(), Discriminator()
    g_optimizer = optim.Adam(generator.parameters(), lr=2e-3)
    d_optimizer = optim.Adam(discriminator.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    real_label, fake_label = torch.ones(size, 1), torch.zeros(size, 1)

    for step in range(steps):
        d_optimizer.zero_grad()
        fake = generator(torch.randn(size, LATENT))
        d_loss = criterion(discriminator(ring(size)), real_label)
        d_loss = d_loss + criterion(discriminator(fake), fake_label)
        d_loss.backward()
        d_optimizer.step()

        fake = generator(torch.randn(size, LATENT))
        g_loss = criterion(discriminator(fake), real_label)
        g_loss.backward()
        g_optimizer.step()

        if (step + 1) % 100 == 0:
            radius = fake.detach().norm(dim=1).mean().item()
            print(f"step {step + 1}: d {d_loss.item():.3f} g {g_loss.item():.3f} mean radius {radius:.2f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
