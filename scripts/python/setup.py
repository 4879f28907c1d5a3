"""What pyproject.toml can not say: a wheel with the program in leontief/bin is for one
platform, the one that LEONTIEF_WHEEL names or this one, and has the command leontief."""

import os

from setuptools import setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(HERE, "leontief", "bin")
CARRIES = os.path.isdir(BIN) and bool(os.listdir(BIN))


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not CARRIES

    def get_tag(self):
        tag = super().get_tag()
        return ("py3", "none", os.environ.get("LEONTIEF_WHEEL") or tag[2]) if CARRIES else tag


setup(cmdclass={"bdist_wheel": PlatformWheel},
      entry_points={"console_scripts": ["leontief = leontief.program:command"]} if CARRIES else {})
