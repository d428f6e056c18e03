# sort.jl: the C API from Julia, by the bindings that generate.jl makes. Sorts and sums on the host back end; on a
# GPU the pointers are those of device memory, such as a CuArray's.
#
# Functions that the header defines inline (gp_config_init and others) have no symbol: a struct is zeros and its size.
include(abspath(ARGS[1]))
using .Gpuprims

checked(result) = result == GP_SUCCESS || error(unsafe_string(gp_last_message()))

function opened()
    config = zeros(UInt8, sizeof(gp_config))
    members = reinterpret(UInt32, view(config, 1:8)) # struct_size, backend
    members[1], members[2] = sizeof(gp_config), UInt32(GP_BACKEND_HOST)
    context = Ref{Ptr{gp_context}}(C_NULL)
    GC.@preserve config checked(gp_open(Ptr{gp_config}(pointer(config)), context))
    return context[]
end

context = opened()
values, sorted, total = Float32[3, 1, 2.5], zeros(Float32, 3), zeros(Float64, 1)
checked(gp_sort_keys(context, GP_F32, values, length(values), sorted, 0, C_NULL))
checked(gp_reduce(context, GP_SUM, GP_F32, GP_F64, values, length(values), total, C_NULL))
@assert sorted == Float32[1, 2.5, 3] && total[1] == 6.5
println("sorted $sorted, the sum is $(total[1])")
checked(gp_close(context))
