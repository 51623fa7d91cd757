#include "support/ptx_kernels.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "choir/text.hpp"
#include "dialect/kernel/kernel.hpp"
#include "targets/cuda/emit/backend.hpp"

namespace accy::test {

const choir::Registry& kernel_registry() {
  static const choir::Registry shared = [] {
    choir::Registry made;
    kernel::register_kernel_dialect(made);
    return made;
  }();
  return shared;
}

const TargetProfile& cuda_profile(std::string_view name) {
  for (const TargetProfile& profile : cuda::backend().profiles())
    if (profile.name == name) return profile;
  throw std::runtime_error("no profile " + std::string(name));
}

std::string kernel_program(const std::string& parameters, const std::string& body,
                           const KernelOptions& options) {
  return fmt::format("choir kernel v1\nkernel.func @test {{exact = {}, subgroup = {}, workgroup = "
                     "{}}} ({}) {{\n{}  kernel.return\n}}\n",
                     options.exact, options.subgroup, options.workgroup, parameters, body);
}

Result<std::string> compile_to_ptx(const std::string& text, const TargetProfile& profile) {
  ACCY_TRY_ASSIGN(choir::Module module,
                  choir::parse_and_verify(text, "test.choir", kernel_registry()));
  choir::Operation& function = *module.body().front();
  ACCY_TRY(cuda::backend().legalize(function, profile));
  ACCY_TRY(choir::verify(module));
  ACCY_TRY_ASSIGN(const target::KernelCode code, cuda::backend().emit(function, profile));
  ACCY_TRY(cuda::backend().validate(code, profile));
  return std::string(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
}

Applications::Applications(std::string type) : type_(std::move(type)) {
  body_ = "  %group = kernel.workgroup_id {axis = 0} : i32\n"
          "  %local = kernel.local_id {axis = 0} : i32\n"
          "  %size = kernel.constant {value = 64} : i32\n"
          "  %base = kernel.mul %group, %size : i32\n"
          "  %i = kernel.add %base, %local : i32\n";
  body_ +=
      fmt::format("  %a = kernel.load %in0, %i : {0}\n  %b = kernel.load %in1, %i : {0}\n", type_);
}

Applications& Applications::apply(const std::string& operation, const std::string& result) {
  const std::size_t number = results_.size();
  body_ += fmt::format("  %r{0} = {1} : {2}\n  kernel.store %r{0}, %out{0}, %i\n", number,
                       operation, result);
  parameters_ += fmt::format(", %out{}: buffer<{}, write, address>", number, result);
  results_.push_back(result);
  return *this;
}

std::string Applications::text(const KernelOptions& options) const {
  return kernel_program(
      fmt::format("%in0: buffer<{0}, read, address>, %in1: buffer<{0}, read, address>", type_) +
          parameters_,
      body_, options);
}

std::string move_kernel(const std::string& type, int width) {
  const std::string value = width == 1 ? type : fmt::format("vector<{}, {}>", type, width);
  std::string body = fmt::format("  %block = kernel.shared : shared<{0}, 512>\n"
                                 "  %i = kernel.local_id {{axis = 0}} : i32\n"
                                 "  %width = kernel.constant {{value = {1}}} : i32\n"
                                 "  %start = kernel.mul %i, %width : i32\n"
                                 "  %next = kernel.add %start, %width : i32\n"
                                 "  %wide = kernel.cast %start : i64\n"
                                 "  %x = kernel.load %in, %next : {2}\n"
                                 "  kernel.store %x, %block, %start\n"
                                 "  kernel.barrier\n"
                                 "  %y = kernel.load %block, %wide : {2}\n"
                                 "  kernel.store %y, %out, %wide\n"
                                 "  %z = kernel.load %both, %next : {2}\n"
                                 "  kernel.barrier\n"
                                 "  kernel.store %z, %both, %start\n",
                                 type, width, value);
  if (width > 1) {
    std::string elements;
    for (int i = 0; i < width; ++i) {
      body += fmt::format("  %e{0} = kernel.extract %x {{index = {1}}} : {2}\n", i, width - 1 - i,
                          type);
      elements += fmt::format("{}%e{}", i == 0 ? "" : ", ", i);
    }
    body += fmt::format("  %count = kernel.constant {{value = {}}} : i32\n"
                        "  %other = kernel.add %start, %count : i32\n"
                        "  %c = kernel.compose {} : {}\n  kernel.store %c, %out, %other\n",
                        64 * width, elements, value);
  }
  return kernel_program(
      fmt::format("%in: buffer<{0}, read, address>, %out: buffer<{0}, write, address>, "
                  "%both: buffer<{0}, read_write, address>",
                  type),
      body);
}

std::vector<int> access_widths(std::string_view type) {
  switch (size_bytes(*element_type_from(type))) {
    case 1:
    case 2: return {1, 2, 4, 8};
    case 4: return {1, 2, 4};
    default: return {1, 2};
  }
}

}  // namespace accy::test
