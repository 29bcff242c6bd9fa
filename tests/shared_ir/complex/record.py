"""Records programs on complex numbers, and what PyTorch makes of them.

    python3 record.py > values.jsonl

Each line has a name, graphs as fx-JSON (as autograd dispatches operators, and as the program calls
them), and runs: values of the inputs and of the outputs, as flat lists, complex numbers as their
parts. complex_parts_test.cpp evaluates the graphs as Assay reads them at the same inputs.
"""

import functools
import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "fixtures" / "value_sizes"))
import capture  # noqa: E402

RUNS = 2
aten = torch.ops.aten


def make(x, z, w, m, i):
    """x: real [3, 4]; z: complex [3, 4]; w: complex [4]; m: complex [4, 2]; i: indices [2]."""
    turn = torch.view_as_complex(x.reshape(3, 2, 2))
    return (turn, torch.complex(x, x[:, :1]), torch.polar(x, x.exp()), torch.polar(x[0, 0], x[1]),
            x.to(torch.complex64), z.to(torch.complex128), z.to(torch.complex128).to(torch.complex64),
            aten._to_copy(z, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex64) + z[0, :2],
            torch.full((2, 1), 3.0, dtype=torch.complex64) * z[:2], torch.ones_like(z) + z,
            torch.zeros_like(z) - z, torch.full_like(z, 2), z.new_ones(3), z.new_zeros(2),
            torch.ones_like(z, dtype=torch.float32), torch.ones_like(x, dtype=torch.complex64))


def take(x, z, w, m, i):
    real, imag = torch.view_as_real(z).unbind(-1)
    return (real, imag, z.real, z.imag, z.abs(), w.abs().square(), z.conj().imag,
            aten.real(z) + x, aten.imag(z) * x)


def conjugate(x, z, w, m, i):
    return (z.conj().clone(), torch.conj_physical(z), z.conj().resolve_conj() * w,
            z * w.conj(), aten._conj_physical(w))


def arithmetic(x, z, w, m, i):
    return (z * w, w * z, z * x, x * w, z * w[0], x[0, 0] * z, z + w, z + x, x + z, z - x, x - w,
            z - w, z * 2, 1.5 * z, z + 1, 3 - z, z - 0.5, z / 4, z / x, z / w, x / z, 2.0 / w, -z,
            torch.add(z, w, alpha=2), torch.sub(z, x, alpha=3), w.reciprocal(), z.square(), z**2,
            z**1, z.exp(), z[0, 0] * z[0, 1], aten.mul.Scalar(z, 3), aten.add.Scalar(z, 2), aten.sub.Scalar(z, 2, 3),
            aten.rsub.Tensor(z, x), aten.div.Scalar(z, 2), w[None, :, None] * m)


def types(x, z, w, m, i):
    d, wide = x.double(), z.to(torch.complex128)
    return (wide * w, z * d, wide[0, 0] * w, d + z, wide / w, i[0] * w, w + i[1], w * (x[0] > 0),
            torch.cat([z, wide]), torch.where(x > 0, z, wide))


def sums(x, z, w, m, i):
    return (z.sum(), z.sum(0), z.sum(-1), z.sum((0, 1), keepdim=True), z.mean(1), z.mean(),
            z.mean(-1, keepdim=True), w[0].sum(), z.cumsum(-1), z.sum(0, dtype=torch.complex128),
            x.sum(1, dtype=torch.complex64))


def products(x, z, w, m, i):
    both = torch.stack([m, m * 2])
    return (z @ m, torch.bmm(both.transpose(1, 2), both), torch.mm(m.t(), z.mT),
            torch.matmul(z[None], both), aten.matmul(z, m), aten.matmul(z, w), torch.dot(w, z[0]))


def shapes(x, z, w, m, i):
    one = z.unsqueeze(-1)
    return (z.view(4, 3), z.view(-1), z.view(2, -1), z.t().reshape(2, 6), aten._unsafe_view(z, [12]),
            z.unsqueeze(0), one, z.unsqueeze(-2), one.squeeze(-1), one.squeeze(), one.squeeze((-1,)),
            w.expand(3, 4), w.expand(2, 3, -1), one.expand(-1, -1, 2), z.permute(1, 0),
            one.permute(-1, 0, 1), z.transpose(-1, 0), z.t(), w.t(), z.mT, aten.alias(z),
            z.detach(), z.contiguous(), z.clone(memory_format=torch.contiguous_format),
            aten.flatten.using_ints(one, 1), aten.unflatten.int(z, -1, [2, 2]), w[0].view(1))


def pieces(x, z, w, m, i):
    first, second, third = z.split(2, -1)[0], *z.split([1, 3], dim=1)
    return (z[1:], z[:, ::2], z[..., 1:3], z[-1], z[:, -2], first, second, third, z.chunk(2, -1)[1],
            *z.unbind(-1)[:2], torch.cat([z, w[None]]), torch.cat([z, z], -1), torch.cat([x, z], 1),
            torch.stack([w, w]), torch.stack([z, z], -1), torch.stack([x[0], w], -1),
            z.index_select(-1, i), z.index_select(0, i), z[i], z[i, i], z[:, i], z[i[:, None], i],
            m.repeat(2, 1), w.repeat(2, 3), z.flip(0), z.flip(-1), z.flip([0, 1]), z.roll(1, -1),
            z.roll([1, -1], [0, -1]), torch.where(x > 0, z, w), torch.where(x[0] > 0, w, 0.0),
            aten.narrow(z, -1, 1, 2), aten.slice_backward(z, [3, 6], -1, 1, 5, 1),
            aten.select_backward(z, [3, 2, 4], -2, 1), aten.lift_fresh_copy(z))


def rope(x, z, w, m, i):
    """As torchtitan has it, with its gradient."""
    x = x.detach().requires_grad_()
    angle = w.real.detach()[:2]
    table = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(x.float().reshape(3, 2, 2))
    y = torch.view_as_real(pairs * table.view(1, 2)).flatten(1)
    return y, *torch.autograd.grad(y, x, z.real)


def gate(x, z, w, m, i):
    """Of a spectrum, with the gradients of its parts."""
    x, filters = x.detach().requires_grad_(), torch.view_as_real(w).detach().requires_grad_()
    y = (z * x * torch.view_as_complex(filters)[None]).sum(0)
    loss = torch.view_as_real(y).square().sum() + (z[1:2] * torch.view_as_complex(filters)).real.sum()
    return loss, *torch.autograd.grad(loss, [x, filters])


DIFFERENTIATED = (rope, gate)


def before_dispatch(program, inputs, names):
    plain = capture.make_fx
    capture.make_fx = functools.partial(plain, pre_dispatch=True)
    try:
        return capture.graph_of(program, inputs, names)
    finally:
        capture.make_fx = plain


def draws():
    complex_of = lambda *shape: torch.randn(*shape, dtype=torch.complex64)  # noqa: E731
    return {"x": torch.randn(3, 4), "z": complex_of(3, 4), "w": complex_of(4), "m": complex_of(4, 2),
            "i": torch.randint(0, 3, (2,))}


def flat(tensor):
    tensor = tensor.detach().resolve_conj()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return [float(f"{value:.8g}") for value in tensor.double().reshape(-1).tolist()]


def main():
    torch.manual_seed(0)
    for program in (make, take, conjugate, arithmetic, types, sums, products, shapes, pieces, rope, gate):
        runs = []
        for _ in range(RUNS):
            inputs = draws()
            results = program(**inputs)
            runs.append({"inputs": [flat(x) for x in inputs.values()],
                         "outputs": [flat(y) for y in results]})
        names = [f"y{n}" for n in range(len(results))]
        graphs = [capture.graph_of(program, draws(), names)]
        if program not in DIFFERENTIATED:
            graphs.append(before_dispatch(program, draws(), names))
        print(json.dumps({"name": program.__name__, "graphs": graphs, "runs": runs}))


main()
