"""generators.py - the default generators of devices of one name. A device that does not draw by itself has the CPU's."""

from .. import _karat
from .kind import Kind


class Generators(Kind):
    """The functions of generators."""

    def _generator(self, device=None):
        return _karat.default_generator_of(self._device(device))

    @property
    def default_generators(self):
        """The default generator of each device."""
        return tuple(map(_karat.default_generator_of, self._all()))

    def manual_seed(self, seed):
        """Seeds the current device's generator; nothing without a device."""
        seed = int(seed)
        if self.is_available():
            self._generator().manual_seed(seed)

    def manual_seed_all(self, seed):
        """Seeds the generators of all devices."""
        seed = int(seed)
        for generator in self.default_generators:
            generator.manual_seed(seed)

    def seed(self):
        """Seeds the current device's generator from the system; nothing without a device."""
        if self.is_available():
            self._generator().seed()

    def seed_all(self):
        """Seeds the generators of all devices from the system, all alike."""
        first, *others = self.default_generators or (None,)
        seed = first.seed() if first else None
        for generator in others:
            generator.manual_seed(seed)

    def initial_seed(self):
        """The seed of the current device's generator."""
        return self._generator().initial_seed()

    def get_rng_state(self, device=None):
        """The state of a device's generator as a uint8 tensor on the CPU."""
        return self._generator(device).get_state()

    def set_rng_state(self, new_state, device=None):
        """A device's generator goes on from a state."""
        self._generator(device).set_state(new_state)

    def get_rng_state_all(self):
        """The states of all devices' generators."""
        return [generator.get_state() for generator in self.default_generators]

    def set_rng_state_all(self, new_states):
        """The generators of all devices go on from these states."""
        for generator, state in zip(self.default_generators, new_states):
            generator.set_state(state)
