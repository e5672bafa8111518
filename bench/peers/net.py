# SPDX-License-Identifier: Apache-2.0
"""What the peers' scripts share: how a figure is printed, and nets as one writes them with PyTorch."""

import json

import torch
from torch import nn


def print_figure(figure, value, unit):
    print(json.dumps({"figure": figure, "value": value, "unit": unit}), flush=True)


# Dense layers with ReLU between them and one output.
def dense(width, hidden):
    layers = []
    for out in hidden:
        layers += [nn.Linear(width, out), nn.ReLU()]
        width = out
    return nn.Sequential(*layers, nn.Linear(width, 1))


# Blocks of convolution, ReLU and pooling over square grey images, then dense layers.
def convolutions(size, filters, hidden):
    layers, channels = [], 1
    for out in filters:
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels, size = out, size // 2
    return nn.Sequential(*layers, nn.Flatten(), *dense(channels * size * size, [hidden]))


class WideAndDeep(nn.Module):
    def __init__(self, numbers, categories, hidden):
        super().__init__()
        self.wide = nn.ModuleList(nn.Embedding(n, 1) for n in categories)
        self.line = nn.Linear(numbers, 1)
        self.embeddings = nn.ModuleList(nn.Embedding(n, min(50, (n + 1) // 2)) for n in categories)
        self.deep = dense(numbers + sum(each.embedding_dim for each in self.embeddings), hidden)

    def forward(self, numbers, categories):
        wide = sum(each(categories[:, i]) for i, each in enumerate(self.wide))
        parts = [each(categories[:, i]) for i, each in enumerate(self.embeddings)]
        return wide + self.line(numbers) + self.deep(torch.cat([*parts, numbers], 1))


# Pre-norm, gated by ReLU.
class Block(nn.Module):
    def __init__(self, width, heads, inner, attention_dropout, dropout, residual_dropout=0.0):
        super().__init__()
        self.heads, self.attention_dropout = heads, attention_dropout
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.attended, self.inputs = nn.Linear(width, width), nn.Linear(width, 3 * width)
        self.up, self.down = nn.Linear(width, 2 * inner), nn.Linear(inner, width)
        self.dropout, self.residual = nn.Dropout(dropout), nn.Dropout(residual_dropout)

    def forward(self, x, mask=None):
        rows, tokens, width = x.shape
        heads = self.inputs(self.norms[0](x)).view(rows, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(
            *heads, attn_mask=mask, dropout_p=self.attention_dropout if self.training else 0.0)
        x = x + self.residual(self.attended(mixed.transpose(1, 2).reshape(rows, tokens, width)))
        value, gate = self.up(self.norms[1](x)).chunk(2, -1)
        return x + self.residual(self.down(self.dropout(value * gate.relu())))


class FtTransformer(nn.Module):
    def __init__(self, numbers, categories, width, heads, layers):
        super().__init__()
        self.first = nn.Parameter(torch.rand(width))
        self.weight, self.bias = (nn.Parameter(torch.rand(numbers, width)) for _ in range(2))
        self.tables = nn.ModuleList(nn.Embedding(n, width) for n in categories)
        self.blocks = nn.ModuleList(Block(width, heads, width * 4 // 3, 0.2, 0.1) for _ in range(layers))
        self.head = nn.Sequential(nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, numbers, categories):
        tokens = [self.first.expand(len(numbers), 1, -1), numbers.unsqueeze(2) * self.weight + self.bias]
        tokens += [each(categories[:, i]).unsqueeze(1) for i, each in enumerate(self.tables)]
        x = torch.cat(tokens, 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])


class TextTransformer(nn.Module):
    def __init__(self, words, length, width, heads, layers, hidden):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width, padding_idx=0), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, 2 * width, 0.1, 0.1, 0.1) for _ in range(layers))
        self.norm, self.dense = nn.LayerNorm(width), nn.Linear(width, hidden)
        self.output = nn.Sequential(nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def forward(self, tokens):
        known = tokens != 0
        x = self.words(tokens) + self.places.weight
        for block in self.blocks:
            x = block(x, known[:, None, None, :])
        mean = (self.norm(x) * known.unsqueeze(2)).sum(1) / known.sum(1, keepdim=True).clamp(min=1)
        return self.output(self.dense(mean))
