"""A trainer class fits a small classifier."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, features=20, classes=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, classes))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model, train_loader, lr=0.1):
        self.model = model
        self.train_loader = train_loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.history = []

    def compute_loss(self, batch):
        inputs, targets = batch
        return self.criterion(self.model(inputs), targets)

    def training_step(self, batch):
        loss = self.compute_loss(batch)
        loss.backward()
        self.optimizer.zero_grad()
        self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            losses = [self.training_step(batch) for batch in self.train_loader]
            self.history.append(sum(losses) / len(losses))
            print(f"epoch {epoch}: loss {self.history[-1]:.3f}")


def make_data(count=512, features=20, classes=4):
    targets = torch.randint(classes, (count,))
    centres = torch.randn(classes, features) / 2
    return TensorDataset(centres[targets] + torch.randn(count, features), targets)


def main():
    torch.manual_seed(0)
    loader = DataLoader(make_data(), batch_size=32, shuffle=True)
    Trainer(Classifier(), loader).fit(epochs=5)


if __name__ == "__main__":
    main()
