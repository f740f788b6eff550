"""The forms that random expressions and statements take: `{0}` and `{1}` stand for matrices (3, 3).

What the machine is known to see otherwise (the kept programs with `# known:`) is not among them.
"""

from __future__ import annotations


def _forms(text: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in " ".join(text.split()).split(" | "))


UNARY = _forms("""
    {0}.tanh() | {0}.sin() | {0}.exp() | torch.sigmoid({0}) | F.relu({0}) | {0}.abs() | -{0} |
    {0}.clone() | {0}.t() | {0}.detach() | {0} * 2 | {0} + 1 | 1 - {0} | {0} / 3 | 2 / {0} | {0} ** 2 |
    {0} ** 3 | 2 ** {0} | {0}.pow(1) | {0}.view(3, 3) | {0}.softmax(dim=1) |
    F.log_softmax({0}, dim=1) | {0}.cumsum(0) | F.softplus({0}) | F.leaky_relu({0}) | F.gelu({0}) |
    {0}.clamp(min=0) | {0}.sqrt() | {0}.log() | torch.square({0}) | {0}.transpose(0, 1) | {0}.flip(0) |
    {0}.expand(3, 3) | {0}[[2, 0, 1]] | {0}.data | {0}.triu() |
    {0}.sign() | {0}.roll(1, 0) | {0}.permute(1, 0) | {0}.unsqueeze(0).squeeze(0) | F.dropout({0}, 0.5) |
    {0}.sum(0, keepdim=True).expand(3, 3) | {0}.mean(1, keepdim=True) + {0} |
    {0}.max(dim=1, keepdim=True)[0] - {0} | torch.zeros_like({0}) | {0}.T | {0}.reciprocal() |
    {0}.norm(dim=1, keepdim=True) * {0} | {0}.masked_fill({0} > 0, 0.5) |
    {0}.chunk(3, dim=0)[1].expand(3, 3) | {0}.narrow(0, 0, 3) | F.normalize({0}, dim=1) | F.elu({0}) |
    {0}.sort(dim=0)[0] | {0}.repeat(1, 1) | {0}.diag().diag() | {0}.cos() |
    F.dropout({0}, 0.5, training=False) | F.hardtanh({0}) | {0}.logsumexp(1).view(3, 1).expand(3, 3)
""")
BINARY = _forms("""
    {0} + {1} | {0} - {1} | {0} * {1} | {0} / {1} | {0} @ {1} | torch.matmul({0}, {1}) | {0}.mul({1}) |
    torch.add({0}, {1}) | torch.cat([{0}, {1}])[:3] | torch.stack([{0}, {1}]).sum(0) |
    torch.stack([{0}, {1}])[0] | {0} + {1}[0] | torch.where({0} > 0, {0}, {1}) | torch.maximum({0}, {1}) |
    {0}.mm({1}) | F.linear({0}, {1}) | torch.lerp({0}, {1}, 0.5) | {0}.add({1}, alpha=2) |
    {0} * {1}.detach() | {0}.sub({1}) | {0}.div({1}) | torch.addmm({0}, {1}, {0}) |
    torch.einsum('ij,jk->ik', {0}, {1}) | {0} ** {1}.abs() | torch.minimum({0}, {1})
""")
SCALARS = _forms("""
    {0}.sum() | {0}.mean() | ({0} * {1}).sum() | F.mse_loss({0}, {1}) | F.l1_loss({0}, {1}) |
    F.cross_entropy({0}, labels) | {0}[0, 0] | {0}.pow(2).mean() | {0}.norm() | {0}.max() |
    {0}.logsumexp(1).sum() | F.smooth_l1_loss({0}, {1}) | F.nll_loss(F.log_softmax({0}, dim=1), labels) |
    ({0} - {1}).abs().mean() | nn.MSELoss()({0}, {1}) | nn.CrossEntropyLoss()({0}, labels) |
    torch.dot({0}[0], {1}[1]) | {0}.std() | {0}.prod() | {0}.trace() | F.kl_div({0}, {1}) |
    {0}.mean(0).sum() | {0}.gather(1, labels.view(3, 1)).sum() | {0}.cumsum(0).sum() |
    {0}.sum(dim=(0, 1))
""")
IN_PLACE = _forms("""
    {0}.add_({1}) | {0}.mul_(2) | {0}.relu_() | {0} += {1} | {0}[0] = 1.0 | {0}[0] = {1}[0] |
    {0}.zero_() | {0} *= 2 | {0}.copy_({1}) | {0}.mul_({1}) | {0}.sub_({1}) | {0}[1].add_(1) |
    {0}.fill_(1.0) | {0}.clamp_(-1, 1) | {0}.exp_() | {0}.tanh_() | {0}.view(9).add_(1) |
    {0}.t().mul_(2) | {0} -= 1 | {0}.div_(2) | F.relu({0}, inplace=True) | {0}.normal_() |
    {0}.detach().add_(1) | {0}.data.add_(1) | {0}[:2] *= 2 | {0}.sigmoid_() | {0}[0, 0] = {1}.sum()
""")
ON_LEAF = _forms("""
    {0}.data.add_(1) | {0}.data = {0}.data * 0.5 | {0}.grad = None | {0}.requires_grad_(False) |
    {0}.requires_grad_(True) | {0}.requires_grad = False | {0}.mul_(2) | {0}.detach().mul_(2)
""")
ON_MODULE = _forms("""
    {0}.zero_grad() | {0}.eval() | {0}.train() | {0}.requires_grad_(False) | {0}.requires_grad_(True)
""")
