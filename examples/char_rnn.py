"""A character model that reads one long text in pieces, its memory handed from piece to piece."""

import torch
from torch import nn

TEXT = "the quick brown fox jumps over the lazy dog. " * 40
LETTERS = sorted(set(TEXT))


class CharRNN(nn.Module):
    def __init__(self, letters, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(letters, 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True)
        self.head = nn.Linear(hidden, letters)

    def forward(self, letters, memory):
        features, memory = self.rnn(self.embed(letters), memory)
        return self.head(features), memory


def pieces(length=25):
    codes = torch.tensor([LETTERS.index(letter) for letter in TEXT])
    for start in range(0, len(codes) - length - 1, length):
        yield codes[start : start + length].unsqueeze(0), codes[start + 1 : start + length + 1].unsqueeze(0)


def train(epochs=2):
    model = CharRNN(len(LETTERS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        memory = torch.zeros(1, 1, 48)
        total = 0.0
        for letters, following in pieces():
            optimizer.zero_grad()
            scores, memory = model(letters, memory)
            loss = criterion(scores.squeeze(0), following.squeeze(0))
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total:.2f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
