"""Two tasks on one trunk: which digit was drawn, and how thick the pen was."""

import torch
import torch.nn.functional as F
from torch import nn


class Trunk(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    def forward(self, images):
        return self.layers(images.flatten(1))


class MultiTask(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.trunk = Trunk(width)
        self.digit = nn.Linear(width, 10)
        self.stroke = nn.Linear(width, 1)

    def forward(self, images):
        features = self.trunk(images)
        return {"digit": self.digit(features), "stroke": self.stroke(features)}


def digit_loss(outputs, batch):
    return F.cross_entropy(outputs["digit"], batch["digit"])


def stroke_loss(outputs, batch):
    return F.mse_loss(outputs["stroke"].squeeze(1), batch["stroke"])


def make_batches(count=20, size=32):
    generator = torch.Generator().manual_seed(0)
    for _ in range(count):
        yield {
            "image": torch.rand(size, 1, 8, 8, generator=generator),
            "digit": torch.randint(10, (size,), generator=generator),
            "stroke": torch.rand(size, generator=generator),
        }


def main():
    model = MultiTask()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = [digit_loss, stroke_loss]
    for step, batch in enumerate(make_batches()):
        outputs = model(batch["image"])
        optimizer.zero_grad()
        for compute in losses:
            loss = compute(outputs, batch)
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
