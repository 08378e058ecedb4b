"""The processor that we run on, and LLVM's just-in-time compiler for it."""

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from emdeg.backends import llvm_objects


@dataclass(frozen=True)
class Machine:
    """A processor by LLVM's name, with its features: empty for the one that we run on."""

    cpu: str = ""
    features: str = ""

    @property
    def known(self) -> "Machine":
        """With name and features filled in."""
        return self if self.cpu else _host()

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
def _host() -> Machine:
    from llvmlite import binding

    return Machine(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


@cache
def _compiler(machine: Machine) -> tuple[Any, Any]:
    """LLVM's code generator for a processor, and what links its objects."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    known = machine.known

    def generator() -> Any:
        target = binding.Target.from_default_triple()
        return target.create_target_machine(
            cpu=known.cpu, features=known.features, opt=3, reloc="pic", codemodel="small", jit=True
        )

    return generator(), binding.create_lljit_compiler(generator())


_numbers = itertools.count()
_lock = threading.Lock()


def load(machine: Machine, text: str, exports: Sequence[str]) -> Any:
    """Compile a module, or take its object code from the disk if it was compiled before.

    The result gives the address of each exported symbol and keeps their code alive.
    """
    import llvmlite
    from llvmlite import binding

    with _lock:
        generator, linker = _compiler(machine)
        known, versions = machine.known, (llvmlite.__version__, str(binding.llvm_version_info))
        entry = llvm_objects.Entry.of(text, known.cpu, known.features, generator.triple, *versions)
        if (code := entry.read()) is None:
            module = binding.parse_assembly(text)
            module.triple, module.data_layout = generator.triple, str(generator.target_data)
            code = generator.emit_object(module)
            entry.write(code)
        builder = binding.JITLibraryBuilder().add_object_img(code)
        for name in exports:
            builder.export_symbol(name)
        return builder.link(linker, f"emdeg{next(_numbers)}")
