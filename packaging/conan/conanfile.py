"""A recipe for Conan 2, of this checkout: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, load


class Gpuprims(ConanFile):
    name = "gpuprims"
    description = "CUDA's parallel primitives as one C header, and a shared library"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    generators = "CMakeToolchain"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "gpuprims.h"))
        self.version = re.search(r'^#define GPUPRIMS_VERSION "(.*)"', text, re.M).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("gpuprims*", "CMakeLists.txt", "LICENSE", "cmake/*", "docs/gpuprims.3"):
            copy(self, pattern, root, self.export_sources_folder)

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure({"GPUPRIMS_SHARED": bool(self.options.shared), "GPUPRIMS_INSTALL": True})
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package has its own
        self.cpp_info.builddirs.append(os.path.join("share", "cmake", "gpuprims"))
        self.cpp_info.system_libs = ["dl", "pthread", "m"]
        if self.options.shared:
            self.cpp_info.libs = ["gpuprims"]
