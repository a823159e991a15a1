"""_torch_private.py - private names of PyTorch's that public code uses, and what serves them here.

A row of ALIASES is a module of this package, with PyTorch's private names and ours. A module that has a row answers for them by
`__getattr__ = private_names(__name__, globals())`: they cost nothing until somebody asks. Methods that subclasses override, base
classes, and attributes that state dicts and pickles show have no row: there PyTorch's name is the name.
"""

ALIASES = {
    "distributions.multivariate_normal": {"_precision_to_scale_tril": "factor_of_inverse"},
    "distributions.utils": {"_standard_normal": "standard_normal", "_sum_rightmost": "summed_over_last"},
    "hub": {"_get_torch_home": "home_folder"},
    "nn.init": {"_calculate_fan_in_and_fan_out": "_fans", "_calculate_correct_fan": "_fan", "_no_grad_uniform_": "_draw_uniform",
                "_no_grad_normal_": "_draw_normal", "_no_grad_trunc_normal_": "trunc_normal_", "_no_grad_fill_": "constant_",
                "_no_grad_zero_": "zeros_"},
    "nn.modules.module": {"_addindent": "_indented"},
    "nn.modules.transformer": {"_get_activation_fn": "_activation"},
    "nn.utils.prune": {"_validate_pruning_amount_init": "_check_amount", "_validate_pruning_amount": "_check_fits",
                       "_compute_nparams_toprune": "_how_many"},
    "optim.optimizer": {"_default_to_fused_or_foreach": "_other_passes", "_get_value": "_plain",
                        "_disable_dynamo_if_unsupported": "_as_it_is", "_stack_if_compiling": "_stacked",
                        "_view_as_real": "_seen_as_real",
                        "_get_capturable_supported_devices": "_capturable_devices",
                        "_use_grad_for_differentiable": "_recorded_if_differentiable"},
    "profiler.profiler": {"_default_schedule_fn": "_record_always"},
}


def private_names(module, namespace, otherwise=None):
    """A module's __getattr__ that finds PyTorch's private names by their row; `otherwise` is one that is asked for the others."""
    row = ALIASES[module.removeprefix("karat.")]

    def __getattr__(name):
        if name in row:
            return namespace[row[name]]
        if otherwise is not None:
            return otherwise(name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__
