# generate.jl: bindings of gpuprims.h by Clang.jl
#
#     make lib
#     julia -e 'using Pkg; Pkg.add("Clang"); Pkg.add("CEnum")'
#     julia examples/julia/generate.jl build/Gpuprims.jl
#     julia examples/julia/sort.jl build/Gpuprims.jl
using Clang.Generators

root = normpath(joinpath(@__DIR__, "..", ".."))
prologue = tempname()
write(prologue, "const libgpuprims = $(repr(joinpath(root, "build", "libgpuprims.so")))\n")
options = Dict{String,Any}("general" => Dict{String,Any}(
    "library_name" => "libgpuprims", "module_name" => "Gpuprims", "output_file_path" => abspath(ARGS[1]),
    "prologue_file_path" => prologue, "export_symbol_prefixes" => ["gp_", "GP_"]))
build!(create_context(joinpath(root, "gpuprims.h"), get_default_args(), options))
