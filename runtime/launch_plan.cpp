#include "runtime/launch_plan.hpp"

#include <map>

#include "dialect/host/host.hpp"
#include "runtime/hazards.hpp"

namespace accy::runtime {

using choir::Operation;
using host::BlockType;
using host::Space;

namespace {

Port port_of(const choir::Value& argument, std::string_view name) {
  const auto type = BlockType::from(argument.type());
  return {std::string(name), type->element(), type->shape(), type->size_bytes()};
}

class ProgramReader {
 public:
  ProgramReader(const choir::Module& module, const Operation& function)
      : module_(module), function_(function) {}

  Result<LaunchProgram> read() {
    read_ports();
    for (const Operation* operation : function_.body().operations()) {
      if (operation->name() == "host.constant") program_.constants.push_back(operation);
      if (operation->name() == "host.launch") ACCY_TRY(read_launch(*operation));
    }
    program_.constant_bytes = host::integer_or(function_, "constant_bytes", 0);
    program_.arena_bytes = host::integer_or(function_, "arena_bytes", 0);
    program_.workspace_bytes = host::integer_or(function_, "workspace_bytes", 0);
    program_.plan.slot_count = program_.workspace_slot() + 1;
    program_.plan = with_barriers(std::move(program_.plan));
    ACCY_TRY(check_hazards(program_.plan));
    return std::move(program_);
  }

 private:
  void read_ports() {
    const auto inputs = host::strings(function_, "inputs");
    const auto outputs = host::strings(function_, "outputs");
    const choir::Block& body = function_.body();
    for (std::size_t index = 0; index < inputs.size(); ++index)
      program_.inputs.push_back(port_of(*body.argument(index), inputs[index]));
    for (std::size_t index = 0; index < outputs.size(); ++index)
      program_.outputs.push_back(port_of(*body.argument(inputs.size() + index), outputs[index]));
  }

  SlotRange range_of(const choir::Value& block) const {
    const host::Place place = host::place_of(block);
    std::size_t slot = place.argument;
    if (place.space == Space::constant) slot = program_.constant_slot();
    if (place.space == Space::arena) slot = program_.arena_slot();
    if (place.space == Space::workspace) slot = program_.workspace_slot();
    return {slot, place.offset_bytes, place.size_bytes};
  }

  std::size_t kernel_index(const Operation& code) {
    const auto [entry, fresh] =
        kernels_.emplace(std::string(code.symbol()), program_.kernels.size());
    if (fresh) program_.kernels.push_back(binary_of(code));
    return entry->second;
  }

  static KernelBinary binary_of(const Operation& code) {
    const choir::Attribute bytes = code.attribute("code");
    KernelBinary binary{.name = std::string(code.symbol()),
                        .entry = std::string(code.attribute("entry").text()),
                        .format = std::string(code.attribute("format").text()),
                        .workgroup = host::triple(code, "workgroup"),
                        .subgroup = host::integer_or(code, "subgroup", 0),
                        .argument_block_bytes = host::integer_or(code, "block_bytes", 0)};
    binary.code = bytes.is(choir::AttributeKind::data) ? bytes.data()
                                                       : std::as_bytes(std::span(bytes.text()));
    return binary;
  }

  Status read_launch(const Operation& operation) {
    const Operation* code = module_.lookup(operation.attribute("kernel").text());
    LaunchStep launch{.kernel = kernel_index(*code),
                      .grid = host::triple(operation, "grid"),
                      .label = std::string(code->symbol())};
    const auto arguments = code->attribute("arguments").array();
    for (std::size_t index = 0; index < operation.operand_count(); ++index) {
      const choir::Attribute argument = arguments[index];
      const std::string_view access = argument.get("access").text();
      launch.buffers.push_back({range_of(*operation.operand(index)),
                                access == "read"    ? Access::read
                                : access == "write" ? Access::write
                                                    : Access::read_write,
                                argument.get("offset").integer()});
    }
    program_.plan.steps.emplace_back(std::move(launch));
    return {};
  }

  const choir::Module& module_;
  const Operation& function_;
  LaunchProgram program_;
  std::map<std::string, std::size_t> kernels_;
};

}  // namespace

Result<LaunchProgram> read_launch_program(const choir::Module& target_module) {
  const Operation* function = host::find_function(target_module);
  if (target_module.stage() != "target" || function == nullptr)
    return fail(ErrorCode::invalid_input,
                "module is at stage " + std::string(target_module.stage()) + ", not target");
  return ProgramReader(target_module, *function).read();
}

}  // namespace accy::runtime
