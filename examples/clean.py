"""A training script without a fault: gradient accumulation, clipping, a schedule, validation."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

ACCUMULATE = 2


def make_loaders(count=512, features=20, classes=4):
    targets = torch.randint(classes, (count,))
    centres = torch.randn(classes, features) / 2
    data = TensorDataset(centres[targets] + torch.randn(count, features), targets)
    train, valid = random_split(data, [count - 128, 128])
    return DataLoader(train, batch_size=32, shuffle=True), DataLoader(valid, batch_size=64)


def train_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    optimizer.zero_grad()
    for i, (inputs, targets) in enumerate(loader):
        loss = criterion(model(inputs), targets)
        (loss / ACCUMULATE).backward()
        total += loss.item()
        if (i + 1) % ACCUMULATE == 0 or i + 1 == len(loader):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    return total / len(loader)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = seen = 0
    for inputs, targets in loader:
        right += (model(inputs).argmax(dim=1) == targets).sum().item()
        seen += len(targets)
    return right / seen


def main(epochs=5):
    torch.manual_seed(0)
    train_loader, valid_loader = make_loaders()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        loss = train_epoch(model, train_loader, criterion, optimizer)
        scheduler.step()
        print(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy(model, valid_loader):.2f}")


if __name__ == "__main__":
    main()
