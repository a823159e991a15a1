"""_steps.py - the operators of steps: rows that PyTorch lacks, and which torch therefore does not show."""

from .. import _karat

_rows = _karat.functions
_step_sgd_ = _rows["_step_sgd_"]
_step_adam_ = _rows["_step_adam_"]
_step_adagrad_ = _rows["_step_adagrad_"]
_step_adadelta_ = _rows["_step_adadelta_"]
_step_adamax_ = _rows["_step_adamax_"]
_step_nadam_ = _rows["_step_nadam_"]
_step_radam_ = _rows["_step_radam_"]
_step_rmsprop_ = _rows["_step_rmsprop_"]
_step_asgd_ = _rows["_step_asgd_"]
_step_rprop_ = _rows["_step_rprop_"]
_step_adafactor_ = _rows["_step_adafactor_"]
_step_muon_ = _rows["_step_muon_"]
_ema_update_ = _rows["_ema_update_"]
_swa_update_ = _rows["_swa_update_"]
_ema_average = _rows["_ema_average"]
_swa_average = _rows["_swa_average"]
