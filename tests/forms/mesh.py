"""What devices exchange, on one device."""

from itertools import product

from tests.forms.form import Form


def _shard(kind, direction, shape, dims):
    return f"shard_type = #ttcore.shard_type<{kind}>, shard_direction = #ttcore.shard_direction<{direction}>, shard_shape = array<i64: {shape}>, shard_dims = array<i64: {dims}>"


ONE = "dense<[[0]]> : tensor<1x1xi64>"

FORMS = [
    *(
        Form(op, "4x8xf32", "4x8xf32", lambda x: x, f"reduce_type = #ttcore.reduce_type<{k}>, cluster_axis = 1 : ui32")
        for op, k in product(("all_reduce", "all_reduce_async"), ("sum", "max", "min"))
    ),
    *(
        Form(
            "reduce_scatter",
            "4x8xf32",
            "4x8xf32",
            lambda x: x,
            f"reduce_type = #ttcore.reduce_type<{k}>, scatter_dim = -1 : si32, cluster_axis = 0 : ui32",
        )
        for k in ("sum", "max", "min")
    ),
    Form("all_gather", "4x8xf32", "4x8xf32", lambda x: x, "all_gather_dim = -1 : si32, cluster_axis = 1 : ui32"),
    Form(
        "collective_permute",
        "4x8xf32",
        "4x8xf32",
        lambda x: x,
        "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>",
    ),
    Form(
        "collective_permute", "4x8xf32", "4x8xf32", lambda x: 0 * x, "source_target_pairs = dense<> : tensor<0x2xi64>"
    ),
    Form("collective_broadcast", "4x8xf32", "4x8xf32", lambda x: x, f"replica_groups = {ONE}"),
    Form(
        "all_to_all",
        "4x8xf32",
        "4x8xf32",
        lambda x: x,
        f"split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 1 : si32, replica_groups = {ONE}",
    ),
    Form("mesh_partition", "4x8xf32", "4x8xf32", lambda x: x, "dim = 0 : si32, cluster_axis = 1 : ui32"),
    *(
        Form("mesh_shard", f"{s}xf32", f"{s}xf32", lambda x: x, _shard(k, d, one, dims))
        for k, d, (s, one, dims) in product(
            ("identity", "replicate", "devices"),
            ("full_to_shard", "shard_to_full"),
            (("8", "1", "0"), ("8", "1", "-1"), ("8", "1", "-1, 0"), ("4x8", "1, 1", "0, 1")),
        )
    ),
    *(  # parts count where a tensor is divided
        Form("mesh_shard", "4x8xf32", "4x8xf32", lambda x: x, _shard(k, d, "2, 1", "-1, 0"))
        for k, d in product(("replicate", "maximal"), ("full_to_shard", "shard_to_full"))
    ),
]

INVALID = [
    (
        *("all_to_all", "4x8xf32", "4x8xf32"),
        f"split_dim = 0 : si32, concat_dim = -1 : si32, split_count = 1 : si32, replica_groups = {ONE}",
        "counted from the front",
    ),
    *(
        (
            op,
            "4x8xf32",
            "4x8xf32",
            f"reduce_type = #ttcore.reduce_type<{k}>, cluster_axis = 1 : ui32",
            "expected one of sum, max, min",
        )
        for op, k in product(("all_reduce", "all_reduce_async"), ("mean", "prod", "std", "var"))
    ),
    (
        "all_reduce",
        "4x8xf32",
        "4x8xf32",
        "reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 2 : ui32",
        "axes of a mesh",
    ),
    (
        "reduce_scatter",
        "4x8xf32",
        "4x8xf32",
        "reduce_type = #ttcore.reduce_type<mean>, scatter_dim = 0 : si32, cluster_axis = 1 : ui32",
        "expected one of sum, max, min",
    ),
    (
        "reduce_scatter",
        "4x8xf32",
        "4x8xf32",
        "reduce_type = #ttcore.reduce_type<sum>, scatter_dim = 2 : si32, cluster_axis = 1 : ui32",
        "out of range",
    ),
    ("all_gather", "4x8xf32", "4x8xf32", "all_gather_dim = 2 : si32, cluster_axis = 1 : ui32", "out of range"),
    ("all_gather", "4x8xf32", "6x8xf32", "all_gather_dim = 0 : si32, cluster_axis = 1 : ui32", "multiple"),
    (
        "collective_permute",
        "4x8xf32",
        "4x8xf32",
        "source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>",
        "twice",
    ),
    (
        "collective_permute",
        "4x8xf32",
        "4x8xf32",
        "source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>",
        "twice",
    ),
    ("collective_broadcast", "4x8xf32", "4x8xf32", "replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>", "twice"),
    (
        "all_to_all",
        "4x8xf32",
        "4x8xf32",
        f"split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 0 : si32, replica_groups = {ONE}",
        "split_count is 0",
    ),
    (
        "all_to_all",
        "4x8xf32",
        "2x16xf32",
        f"split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = {ONE}",
        "expected 2",
    ),
    ("mesh_shard", "8xf32", "8xf32", _shard("devices", "full_to_shard", "0", "0"), "at least 1 part"),
    ("mesh_shard", "8xf32", "8xf32", _shard("devices", "full_to_shard", "1", "1"), "names dimension 1"),
    ("mesh_shard", "8xf32", "8xf32", _shard("devices", "full_to_shard", "3", "0"), "do not divide"),
    ("mesh_shard", "8xf32", "8xf32", _shard("devices", "full_to_shard", "1, 1", "0, 1"), "has 2 entries"),
]
