"""Writes the table of what PyTorch's operators write and what their results share memory with.

    python3 record_schemas.py > schemas.txt

One operator a line, sorted, named as graphs name them (without ".default"):

    aten.add
    aten.add_.Tensor self! other alpha -> =self ; pointwise functional=aten.add.Tensor
    aten.split.Tensor self split_size dim -> ~self[]
    aten.reshape self shape -> ?self
    aten.native_batch_norm input ... running_mean!training ... -> . . .

An operator that neither writes nor returns memory of its operands has its name and tags alone. Of
the others, the parameters in order: `name!` is written, `name!flag` unless the argument `flag` is
false. A result is `=name` (that parameter, which it has written), `~name` (a view of it), `?name` (a
view or a copy), or `.` (memory of its own); `[]` means a list. Tags:

    pointwise        element i of the result depends on elements i of the operands alone
    random           draws from a generator
    relayout         changes sizes and strides of the tensor object that it is given
    strides          depends on strides and offsets of its operands, not on their elements alone
    laid_out         returns memory with the strides that it is told
    unwritten        leaves in what it writes whatever the memory held
    core             one of those that PyTorch's exports reduce programs to (torch.Tag.core)
    composite        made of other operators, so that a result may be an operand, which it does not say
    communicates     takes part in an exchange with other ranks
    writes_operands  may write everything that it is given: it is named as operators are that write,
                     and does not say what
    functional=NAME  the operator that returns what this one writes, and writes nothing
"""

import re

import torch
import torch._inductor.inductor_prims  # registers its operators, as the next ones do
import torch._prims
import torch._prims.rng_prims
import torch.distributed
import torch.distributed._functional_collectives

NAMESPACES = {
    "aten", "prims", "c10d", "c10d_functional", "_c10d_functional", "_c10d_functional_autograd",
    "_dtensor", "inductor", "quantized", "rngprims",
}

COMMUNICATING = {
    "c10d", "c10d_functional", "_c10d_functional", "_c10d_functional_autograd", "_dtensor",
}

# Results that are operands, which PyTorch's schemas leave out.
UNSAID_ALIASES = {
    "_c10d_functional.wait_tensor": ["~tensor"],
    "c10d_functional.wait_tensor": ["~self"],
    "aten._foobar": ["?self"],
    "aten.dequantize.self": ["?self"],
    "aten._pack_sequence": [
        "?output", "?batch_sizes", "?sorted_indices", "?unsorted_indices",
    ],
    "aten._unsafe_view": ["~self"],
    "aten.lift": ["~self"],
    "aten.set.source_Tensor": ["?source"],
    "aten.sorted.Tensor": ["?input[]"],
    "aten.unsafe_split.Tensor": ["~self[]"],
    "aten.unsafe_split_with_sizes": ["~self[]"],
}

# Operators that write running statistics, which PyTorch's schemas leave out.
UNSAID_STATISTICS = {
    "batch_norm_gather_stats", "batch_norm_gather_stats_with_counts", "batch_norm_update_stats",
    "cudnn_batch_norm", "miopen_batch_norm",
}

# Named and annotated as writing, they change what autograd and the allocator know of a tensor.
WRITES_NO_ELEMENT = {"requires_grad_", "retain_grad", "record_stream"}

# Element by element, which their tags leave out; in place and with out= too.
UNSAID_POINTWISE = {
    "celu", "copy", "divide", "elu", "fill", "floor_divide", "gelu", "greater", "greater_equal",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "less", "less_equal",
    "logit", "mish", "multiply", "not_equal", "relu6", "rsub", "selu", "softplus", "softshrink",
    "subtract", "threshold", "true_divide", "zero",
}

# Made of other operators, and a view of their operand whatever its strides.
ALWAYS_VIEWS = {
    "T", "H", "mT", "mH", "adjoint", "broadcast_to", "chunk", "dsplit", "expand_as", "hsplit",
    "linalg_diagonal", "matrix_H",
    "moveaxis", "movedim", "narrow", "numpy_T", "positive", "split", "split_with_sizes", "squeeze",
    "swapaxes", "swapdims", "tensor_split", "unflatten", "view_as", "vsplit",
}


def graph_name(schema):
    name = schema.name.replace("::", ".")
    return f"{name}.{schema.overload_name}" if schema.overload_name else name


def has_tensors(values):
    return any("Tensor" in str(value.type) for value in values)


def tags_of(schema):
    namespace, name = schema.name.split("::")
    try:
        packet = getattr(getattr(torch.ops, namespace), name)
        return set(getattr(packet, schema.overload_name or "default").tags)
    except (AttributeError, RuntimeError):
        return set()


def is_composite(schema):
    name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    try:
        return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")
    except RuntimeError:
        return False


def written_by(base, info, argument):
    """ "!" when it is written, "!flag" when an argument decides, "" when it is not."""
    annotated = argument.alias_info is not None and argument.alias_info.is_write
    if annotated:
        return "!"
    if argument.name in ("running_mean", "running_var") and base in UNSAID_STATISTICS:
        return "!training" if info.has_argument("training") else "!"
    try:
        mutable = info.is_mutable(argument.name)
    except RuntimeError:
        return ""
    if not mutable:
        return ""
    flag = next(f for f in ("training", "train", "use_input_stats") if info.has_argument(f))
    return f"!{flag}"


def alias_sets(value):
    """The alias sets of an argument or a result, those of a list's elements too."""
    annotation = re.search(r"\((\w+(?:\|\w+)*)!?(?: -> [^)]*)?\)", value)
    return set(annotation.group(1).split("|")) if annotation else set()


def results_of(schema, composite):
    text = str(schema)
    arguments, results = text[text.index("(") + 1:].rsplit(") -> ", 1)
    by_set = {}
    for argument in schema.arguments:
        written_so = re.search(r"\S*Tensor[^,]*? " + argument.name + r"(?=[,=]|$)", arguments)
        for name in alias_sets(written_so.group(0)) if written_so else ():
            by_set[name] = argument
    if results.startswith("("):
        results = results[1:-1]
    kinds = []
    for result in results.split(", ") if results else ():
        sets = alias_sets(result)
        operand = next((by_set[name] for name in sorted(sets) if name in by_set), None)
        kind = "."
        if operand is not None:
            always = not composite or schema.name.split("::")[1] in ALWAYS_VIEWS
            if operand.alias_info is not None and operand.alias_info.is_write:
                kind = "=" + operand.name
            else:
                kind = ("~" if always and len(sets) == 1 else "?") + operand.name
        kinds.append(kind + ("[]" if "[]" in result else ""))
    return kinds


def signature(arguments):
    return [(a.name, str(a.type)) for a in arguments]


def functional_twins(schemas):
    """By the name of each operator that writes, the one that returns what it writes."""
    pure = {}
    for schema in schemas:
        if not schema.is_mutable:
            pure.setdefault(schema.name, []).append(schema)
    twins = {}
    for schema in schemas:
        if not schema.is_mutable:
            continue
        namespace, name = schema.name.split("::")
        out = [a for a in schema.arguments if a.is_out]
        bases = [name, name.removesuffix("_out")]
        if not out:
            bases = [name[:-1]] if name.endswith("_") and not name.endswith("__") else []
            if name.startswith("__i") and name.endswith("__"):
                bases = ["__" + name[3:]]
            bases += [base + "_functional" for base in bases]
        arguments = [a for a in schema.arguments if not a.is_out]
        found = None
        for base in bases:
            candidates = pure.get(f"{namespace}::{base}", [])
            same = [c for c in candidates if signature(c.arguments) == signature(arguments)]
            if not same:
                types = [t for _, t in signature(arguments)]
                same = [c for c in candidates if [t for _, t in signature(c.arguments)] == types]
            if same:
                found = same[0]
                break
        if found is not None:
            twins[graph_name(schema)] = found
    return twins


def is_pointwise(schema):
    if "Tag.pointwise" in map(tag_text, tags_of(schema)):
        return True
    namespace, name = schema.name.split("::")
    return namespace == "aten" and name.rstrip("_") in UNSAID_POINTWISE


def line_of(schema, twin):
    """`twin` is the operator that returns what this one writes, or None."""
    name = graph_name(schema)
    tags = tags_of(schema)
    composite = is_composite(schema)
    info = torch._C._SchemaInfo(schema)
    base = schema.name.split("::")[1]
    written = [written_by(base, info, argument) for argument in schema.arguments]
    results = UNSAID_ALIASES[name] if name in UNSAID_ALIASES else results_of(schema, composite)
    if base in WRITES_NO_ELEMENT:
        written = ["" for _ in written]
        results = ["~" + result[1:] if result[0] == "=" else result for result in results]
    names = [argument.name for argument in schema.arguments]
    words = []
    for tag in ("core", "pointwise", "nondeterministic_seeded", "inplace_view"):
        if any(str(t) == f"Tag.{tag}" for t in map(tag_text, tags)):
            renamed = {"nondeterministic_seeded": "random", "inplace_view": "relayout"}
            words.append(renamed.get(tag, tag))
    if "pointwise" not in words and any(map(is_pointwise, filter(None, (schema, twin)))):
        words.insert(words.count("core"), "pointwise")
    if any("Generator" in str(a.type) for a in schema.arguments) and "random" not in words:
        words.append("random")
    made_anew = "pin_memory" in names
    if ("storage_offset" in names or ("size" in names and "stride" in names)) and not made_anew:
        words.append("strides")
    if made_anew and ("stride" in names or "physical_layout" in names):
        words.append("laid_out")
    if any(written) and "empty" in base:
        words.append("unwritten")
    annotated = any(written) or any(result.rstrip("[]") != "." for result in results)
    if schema.name.split("::")[0] in COMMUNICATING:
        words.append("communicates")
    if composite and not annotated:
        words.append("composite")
    writes_nothing = base in WRITES_NO_ELEMENT
    if not any(written) and not writes_nothing and base.endswith("_") and not base.endswith("__"):
        words.append("writes_operands")
    if twin is not None and not writes_nothing:
        words.append(f"functional={graph_name(twin)}")
    line = name
    if annotated:
        words_of_results = "".join(f" {result}" for result in results)
        line += "".join(f" {n}{w}" for n, w in zip(names, written)) + " ->" + words_of_results
    return (line + (" ; " + " ".join(words) if words else "")).rstrip()


def tag_text(tag):
    return f"Tag.{tag.name}"


def main():
    schemas = [s for s in torch._C._jit_get_all_schemas()
               if s.name.split("::")[0] in NAMESPACES
               and (has_tensors(s.arguments) or has_tensors(s.returns))]
    twins = functional_twins(schemas)
    lines = {graph_name(s): line_of(s, twins.get(graph_name(s))) for s in schemas}
    for name in sorted(lines):
        print(lines[name])


if __name__ == "__main__":
    main()
