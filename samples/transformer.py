"""A small GPT-like language model that trains: forward, loss, backward and AdamW make one step."""

import torch
from torch import nn
from torch.nn import functional as F

on_gpu = torch.cuda.is_available()
vocabulary = 8192 if on_gpu else 512
layers, heads, width, length, batch = (8, 12, 768, 512, 8) if on_gpu else (2, 4, 128, 64, 4)

torch.manual_seed(0)


class Block(nn.Module):
    """Attention and a perceptron, each on a normalised input and added to what came in."""

    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, width))

    def forward(self, x):
        x = x + self.attend(self.norm_1(x))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def loss_fn(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


# profviz looks for these names; with loss_fn and optimizer a step trains
text = torch.randint(0, vocabulary, (batch, length + 1))
inputs, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous()
model = Transformer()
if on_gpu:
    model = model.bfloat16()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
