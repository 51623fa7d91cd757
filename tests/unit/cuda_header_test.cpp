// The adapter's own declarations against the toolkit's cuda.h; built only where that exists.
#include <cuda.h>
#include <gtest/gtest.h>
#include <tuple>
#include <type_traits>

#include "targets/cuda/device/driver_api.hpp"

namespace accy::cuda::driver {
namespace {

/// Two types that pass alike: pointers, or numbers and enumerations of one size.
template <class Ours, class Theirs>
constexpr bool passes_alike =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
        std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs>
struct Agree : std::false_type {};

template <class... Ours, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct Agree<Code (*)(Ours...), CUresult (*)(Theirs...)>
    : std::bool_constant<sizeof(Code) == sizeof(CUresult) && (passes_alike<Ours, Theirs> && ...)> {
};

#define ACCY_COMPARE(member, symbol, parameters)                        \
  static_assert(Agree<decltype(Api::member), decltype(&symbol)>::value, \
                #symbol " differs from cuda.h");
ACCY_CUDA_DRIVER_FUNCTIONS(ACCY_COMPARE)
#undef ACCY_COMPARE

// A comparison that can fail.
static_assert(!Agree<Code (*)(int), CUresult (*)(int, int)>::value);
static_assert(!Agree<Code (*)(int*), CUresult (*)(int)>::value);
static_assert(!Agree<Code (*)(float), CUresult (*)(int)>::value);

static_assert(sizeof(Uuid) == sizeof(CUuuid));
static_assert(sizeof(Address) == sizeof(CUdeviceptr));

static_assert(int{max_threads_per_block} == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(int{max_block_dim_x} == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
static_assert(int{max_block_dim_y} == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
static_assert(int{max_block_dim_z} == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(int{max_grid_dim_x} == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
static_assert(int{max_grid_dim_y} == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
static_assert(int{max_grid_dim_z} == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(int{max_shared_memory_per_block} == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(int{warp_size_attribute} == CU_DEVICE_ATTRIBUTE_WARP_SIZE);
static_assert(int{integrated} == CU_DEVICE_ATTRIBUTE_INTEGRATED);
static_assert(int{compute_capability_major} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(int{compute_capability_minor} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

static_assert(int{error_log_buffer} == CU_JIT_ERROR_LOG_BUFFER);
static_assert(int{error_log_buffer_size_bytes} == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

static_assert(out_of_memory == Code{CUDA_ERROR_OUT_OF_MEMORY});
static_assert(deinitialized == Code{CUDA_ERROR_DEINITIALIZED});
static_assert(device_unavailable == Code{CUDA_ERROR_DEVICE_UNAVAILABLE});
static_assert(no_device == Code{CUDA_ERROR_NO_DEVICE});
static_assert(no_binary_for_gpu == Code{CUDA_ERROR_NO_BINARY_FOR_GPU});
static_assert(ecc_uncorrectable == Code{CUDA_ERROR_ECC_UNCORRECTABLE});
static_assert(nvlink_uncorrectable == Code{CUDA_ERROR_NVLINK_UNCORRECTABLE});
static_assert(jit_compiler_not_found == Code{CUDA_ERROR_JIT_COMPILER_NOT_FOUND});
static_assert(unsupported_ptx_version == Code{CUDA_ERROR_UNSUPPORTED_PTX_VERSION});
static_assert(jit_compilation_disabled == Code{CUDA_ERROR_JIT_COMPILATION_DISABLED});
static_assert(not_ready == Code{CUDA_ERROR_NOT_READY});
static_assert(illegal_address == Code{CUDA_ERROR_ILLEGAL_ADDRESS});
static_assert(launch_timeout == Code{CUDA_ERROR_LAUNCH_TIMEOUT});
static_assert(assert_failed == Code{CUDA_ERROR_ASSERT});
static_assert(hardware_stack_error == Code{CUDA_ERROR_HARDWARE_STACK_ERROR});
static_assert(illegal_instruction == Code{CUDA_ERROR_ILLEGAL_INSTRUCTION});
static_assert(misaligned_address == Code{CUDA_ERROR_MISALIGNED_ADDRESS});
static_assert(invalid_address_space == Code{CUDA_ERROR_INVALID_ADDRESS_SPACE});
static_assert(invalid_program_counter == Code{CUDA_ERROR_INVALID_PC});
static_assert(launch_failed == Code{CUDA_ERROR_LAUNCH_FAILED});

TEST(CudaHeader, LaunchMarkersAgree) {
  EXPECT_EQ(parameter_end, CU_LAUNCH_PARAM_END);
  EXPECT_EQ(parameter_buffer_pointer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(parameter_buffer_size, CU_LAUNCH_PARAM_BUFFER_SIZE);
}

}  // namespace
}  // namespace accy::cuda::driver
