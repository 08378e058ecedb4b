"""The processor that we run on, and LLVM's just-in-time compiler for it."""

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Machine:
    """A processor by LLVM's name, with its features: empty for the one that we run on."""

    cpu: str = ""
    features: str = ""

    @property
    def known(self) -> "Machine":
        """With name and features filled in."""
        if self.cpu:
            return self
        from llvmlite import binding

        return Machine(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.known.features.split(",")

    @property
    def vector_bits(self) -> int:
        """The widest vectors that it computes with."""
        return 512 if self.has("avx512f") else 256 if self.has("avx") else 128

    @property
    def fma(self) -> bool:
        """Whether it multiplies and adds in one rounding."""
        return self.has("fma") or self.has("neon") or self.has("fp-armv8")


@cache
def _compiler(machine: Machine) -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    known = machine.known
    target = binding.Target.from_default_triple()
    compiler = target.create_target_machine(
        cpu=known.cpu, features=known.features, opt=3, reloc="pic", codemodel="small", jit=True
    )
    return binding.create_lljit_compiler(compiler)


_numbers = itertools.count()
_lock = threading.Lock()


def load(machine: Machine, text: str, exports: Sequence[str]) -> Any:
    """Compile a module; the result gives the address of each exported function and keeps their code alive."""
    from llvmlite import binding

    with _lock:
        builder = binding.JITLibraryBuilder().add_ir(text)
        for name in exports:
            builder.export_symbol(name)
        return builder.link(_compiler(machine), f"emdeg{next(_numbers)}")
