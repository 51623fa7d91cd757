#include "support/fake_cuda_driver.hpp"

#include <cstring>

namespace accy::test {

namespace {

using namespace cuda::driver;

FakeCudaDriver& fake() { return FakeCudaDriver::instance(); }

template <class Handle>
Handle make_handle(FakeHandles& all) {
  auto made = std::make_unique<char>();
  void* handle = made.get();
  all.emplace(handle, std::move(made));
  return reinterpret_cast<Handle>(handle);
}

Code drop_handle(FakeHandles& all, void* handle) {
  return all.erase(handle) == 1 ? success : 400;  // invalid handle
}

#define FAKE_ENTER(symbol) \
  if (const Code injected = fake().enter(symbol); injected != success) return injected

Code get_error_name(Code code, const char** name) {
  *name = code == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == 999 ? "CUDA_ERROR_UNKNOWN"
                        : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
Code init(unsigned int) {
  FAKE_ENTER("cuInit");
  return success;
}
Code driver_get_version(int* version) {
  FAKE_ENTER("cuDriverGetVersion");
  *version = fake().driver_version;
  return success;
}
Code device_get_count(int* count) {
  FAKE_ENTER("cuDeviceGetCount");
  *count = fake().device_count;
  return success;
}
Code device_get(Ordinal* device, int ordinal) {
  FAKE_ENTER("cuDeviceGet");
  *device = ordinal;
  return ordinal < fake().device_count ? success : 101;
}
Code device_get_name(char* name, int length, Ordinal) {
  FAKE_ENTER("cuDeviceGetName");
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return success;
}
Code device_get_uuid(Uuid* uuid, Ordinal) {
  FAKE_ENTER("cuDeviceGetUuid");
  for (std::size_t i = 0; i < uuid->bytes.size(); ++i)
    uuid->bytes[i] = static_cast<unsigned char>(i);
  return success;
}
Code device_total_memory(std::size_t* bytes, Ordinal) {
  FAKE_ENTER("cuDeviceTotalMem_v2");
  *bytes = std::size_t{8} << 30;
  return success;
}
Code device_get_attribute(int* value, Attribute which, Ordinal) {
  FAKE_ENTER("cuDeviceGetAttribute");
  const std::map<int, int> values{{max_threads_per_block, 1024},
                                  {max_block_dim_x, 1024},
                                  {max_block_dim_y, 1024},
                                  {max_block_dim_z, 64},
                                  {max_grid_dim_x, 2147483647},
                                  {max_grid_dim_y, 65535},
                                  {max_grid_dim_z, 65535},
                                  {max_shared_memory_per_block, 49152},
                                  {warp_size_attribute, 32},
                                  {integrated, 0},
                                  {compute_capability_major, fake().major},
                                  {compute_capability_minor, fake().minor}};
  const auto found = values.find(which);
  if (found == values.end()) return 1;
  *value = found->second;
  return success;
}
Code primary_context_retain(ContextHandle* context, Ordinal) {
  FAKE_ENTER("cuDevicePrimaryCtxRetain");
  ++fake().retained_contexts;
  *context = reinterpret_cast<ContextHandle>(std::uintptr_t{64});
  return success;
}
Code primary_context_release(Ordinal) {
  --fake().retained_contexts;
  return success;
}
Code context_push(ContextHandle) {
  FAKE_ENTER("cuCtxPushCurrent_v2");
  ++fake().context_depth;
  return success;
}
Code context_pop(ContextHandle*) {
  --fake().context_depth;
  return success;
}
Code memory_allocate(Address* address, std::size_t size) {
  FAKE_ENTER("cuMemAlloc_v2");
  auto block = std::make_unique<std::vector<std::byte>>(size);
  *address = reinterpret_cast<std::uintptr_t>(block->data());
  fake().memory.emplace(*address, std::move(block));
  return success;
}
Code memory_free(Address address) { return fake().memory.erase(address) == 1 ? success : 1; }
Code copy_to_device(Address to, const void* from, std::size_t size) {
  FAKE_ENTER("cuMemcpyHtoD_v2");
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return success;
}
Code copy_to_host(void* to, Address from, std::size_t size) {
  FAKE_ENTER("cuMemcpyDtoH_v2");
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return success;
}
Code copy_on_device(Address to, Address from, std::size_t size, StreamHandle) {
  FAKE_ENTER("cuMemcpyDtoDAsync_v2");
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size);
  return success;
}
Code module_load(ModuleHandle* module, const void* image, unsigned int count, JitOption* options,
                 void** values) {
  for (unsigned int i = 0; i < count; ++i)
    if (options[i] == error_log_buffer)
      std::strcpy(static_cast<char*>(values[i]), fake().jit_log.c_str());
  FAKE_ENTER("cuModuleLoadDataEx");
  if (std::strncmp(static_cast<const char*>(image), ".version", 8) != 0) return 218;
  *module = make_handle<ModuleHandle>(fake().modules);
  fake().module_code[*module] = static_cast<const char*>(image);
  return success;
}
Code module_unload(ModuleHandle module) { return drop_handle(fake().modules, module); }
Code module_get_function(FunctionHandle* function, ModuleHandle module, const char* name) {
  FAKE_ENTER("cuModuleGetFunction");
  FakeFunction& made = fake().functions[{module, name}];
  made = {name, fake().module_code[module]};
  *function = reinterpret_cast<FunctionHandle>(&made);
  return success;
}
Code stream_create(StreamHandle* stream, unsigned int) {
  FAKE_ENTER("cuStreamCreate");
  *stream = make_handle<StreamHandle>(fake().streams);
  return success;
}
Code stream_destroy(StreamHandle stream) { return drop_handle(fake().streams, stream); }
Code event_create(EventHandle* event, unsigned int) {
  FAKE_ENTER("cuEventCreate");
  *event = make_handle<EventHandle>(fake().events);
  return success;
}
Code event_destroy(EventHandle event) { return drop_handle(fake().events, event); }
Code event_record(EventHandle, StreamHandle) {
  FAKE_ENTER("cuEventRecord");
  return success;
}
Code event_query(EventHandle) {
  FAKE_ENTER("cuEventQuery");
  return fake().never_finishes ? not_ready : success;
}
Code event_elapsed(float* milliseconds, EventHandle, EventHandle) {
  FAKE_ENTER("cuEventElapsedTime");
  *milliseconds = 0.25F;
  return success;
}
Code launch_kernel(FunctionHandle function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int, StreamHandle,
                   void** parameters, void** extra) {
  FAKE_ENTER("cuLaunchKernel");
  if (parameters != nullptr) return 1;
  const auto& called = *reinterpret_cast<const FakeFunction*>(function);
  FakeLaunch launch{called.entry, called.code, {gx, gy, gz}, {bx, by, bz}, {}};
  if (extra != nullptr) {
    if (extra[0] != parameter_buffer_pointer || extra[2] != parameter_buffer_size ||
        extra[4] != parameter_end)
      return 1;
    const auto* block = static_cast<const std::byte*>(extra[1]);
    launch.arguments.assign(block, block + *static_cast<std::size_t*>(extra[3]));
  }
  fake().launches.push_back(launch);
  if (fake().on_launch) fake().on_launch(launch);
  return success;
}

Api make_api() {
  Api api;
  api.get_error_name = get_error_name;
  api.init = init;
  api.driver_get_version = driver_get_version;
  api.device_get_count = device_get_count;
  api.device_get = device_get;
  api.device_get_name = device_get_name;
  api.device_get_uuid = device_get_uuid;
  api.device_total_memory = device_total_memory;
  api.device_get_attribute = device_get_attribute;
  api.primary_context_retain = primary_context_retain;
  api.primary_context_release = primary_context_release;
  api.context_push = context_push;
  api.context_pop = context_pop;
  api.memory_allocate = memory_allocate;
  api.memory_free = memory_free;
  api.copy_to_device = copy_to_device;
  api.copy_to_host = copy_to_host;
  api.copy_on_device = copy_on_device;
  api.module_load = module_load;
  api.module_unload = module_unload;
  api.module_get_function = module_get_function;
  api.stream_create = stream_create;
  api.stream_destroy = stream_destroy;
  api.event_create = event_create;
  api.event_destroy = event_destroy;
  api.event_record = event_record;
  api.event_query = event_query;
  api.event_elapsed = event_elapsed;
  api.launch = launch_kernel;
  return api;
}

}  // namespace

FakeCudaDriver& FakeCudaDriver::instance() {
  static FakeCudaDriver driver;
  return driver;
}

const cuda::driver::Api& FakeCudaDriver::api() {
  static const cuda::driver::Api table = make_api();
  return table;
}

Code FakeCudaDriver::enter(const char* symbol) {
  symbols.emplace_back(symbol);
  const int call = calls++;
  if (call != failing_call) return success;
  failed_symbol = symbol;
  return failing_code;
}

std::string FakeCudaDriver::leaks() const {
  std::string text;
  const auto add = [&](const char* what, std::size_t count) {
    if (count != 0) text += std::to_string(count) + " " + what + "; ";
  };
  add("allocations", memory.size());
  add("modules", modules.size());
  add("streams", streams.size());
  add("events", events.size());
  add("retained contexts", static_cast<std::size_t>(retained_contexts));
  add("pushed contexts", static_cast<std::size_t>(context_depth));
  return text;
}

}  // namespace accy::test
