#include "evaluate/host_evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "dialect/host/host.hpp"
#include "dialect/kernel/kernel.hpp"
#include "dialect/tensor/constant.hpp"
#include "dialect/tensor/type.hpp"
#include "support/checked.hpp"
#include "support/host_memory.hpp"

namespace accy::evaluate {

using choir::Operation;
using choir::Value;
using host::BlockType;
using host::Space;

namespace {

Result<const Operation*> host_function(const choir::Module& module) {
  const Operation* function = host::find_function(module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  return function;
}

Status check_count(std::span<const HostTensor> inputs, std::size_t wanted) {
  if (inputs.size() == wanted) return {};
  return fail(ErrorCode::invalid_input, "program takes " + std::to_string(wanted) +
                                            " inputs, not " + std::to_string(inputs.size()));
}

/// Values of a host function in value form.
class ItemRunner {
 public:
  explicit ItemRunner(const WeightSource& weights) : weights_(weights) {}

  void set(const Value& value, HostTensor tensor) { values_[&value] = std::move(tensor); }
  const HostTensor& get(const Value& value) const { return values_.at(&value); }

  Status run(const Operation& operation) {
    if (operation.name() == "host.item") return run_item(operation);
    if (operation.name() == "host.view") {
      HostTensor view = values_.at(operation.operand(0));
      view.shape = tensor::TensorType::from(operation.result()->type())->static_shape();
      set(*operation.result(), std::move(view));
      return {};
    }
    ACCY_TRY_ASSIGN(HostTensor value, evaluate_operation(operation, {}, weights_));
    set(*operation.result(), std::move(value));
    return {};
  }

 private:
  Status run_item(const Operation& item) {
    std::vector<HostTensor> operands;
    for (const Value* operand : item.operands()) operands.push_back(values_.at(operand));
    ACCY_TRY_ASSIGN(std::vector<HostTensor> results,
                    evaluate_block(item.body(), operands, weights_));
    for (std::size_t index = 0; index < results.size(); ++index)
      set(*item.result(index), std::move(results[index]));
    return {};
  }

  const WeightSource& weights_;
  std::unordered_map<const Value*, HostTensor> values_;
};

/// The memory of a host function over blocks.
class BlockRunner {
 public:
  BlockRunner(const choir::Module& module, const WeightSource& weights,
              const InterpreterOptions& options)
      : module_(module), function_(*host::find_function(module)), weights_(weights),
        options_(options) {}

  Status prepare(std::span<const HostTensor> inputs) {
    ACCY_TRY(check_memory());
    arena_.assign(static_cast<std::size_t>(host::integer_or(function_, "arena_bytes", 0)),
                  poison_byte);
    workspace_.assign(static_cast<std::size_t>(host::integer_or(function_, "workspace_bytes", 0)),
                      poison_byte);
    constants_.assign(static_cast<std::size_t>(host::integer_or(function_, "constant_bytes", 0)),
                      std::byte{0});
    const choir::Block& body = function_.body();
    std::size_t next = 0;
    for (std::size_t index = 0; index < body.argument_count(); ++index) {
      const auto type = BlockType::from(body.argument(index)->type());
      if (type->space() == Space::input) {
        ACCY_TRY(check_input(inputs, next, *type));
        arguments_.push_back(inputs[next++].bytes);
      } else {
        arguments_.emplace_back(static_cast<std::size_t>(type->size_bytes()), poison_byte);
      }
    }
    return check_count(inputs, next);
  }

  Status run() {
    const auto operations = function_.body().operations();
    const auto last_uses = find_last_uses(operations);
    for (std::size_t step = 0; step < operations.size(); ++step) {
      ACCY_TRY(run_step(*operations[step]));
      if (const auto ended = last_uses.find(step); ended != last_uses.end())
        for (const Operation* block : ended->second)
          std::ranges::fill(bytes_of(*block->result()), poison_byte);
    }
    return {};
  }

  std::vector<HostTensor> outputs() const {
    std::vector<HostTensor> results;
    const choir::Block& body = function_.body();
    for (std::size_t index = 0; index < body.argument_count(); ++index) {
      const auto type = BlockType::from(body.argument(index)->type());
      if (type->space() == Space::output)
        results.push_back({type->element(), type->shape(), arguments_[index]});
    }
    return results;
  }

 private:
  Status check_memory() const {
    std::int64_t total = 0;
    for (std::string_view size : {"arena_bytes", "workspace_bytes", "constant_bytes"}) {
      ACCY_TRY_ASSIGN(total, checked_add(total, host::integer_or(function_, size, 0)));
    }
    const choir::Block& body = function_.body();
    for (std::size_t index = 0; index < body.argument_count(); ++index) {
      ACCY_TRY_ASSIGN(
          total, checked_add(total, BlockType::from(body.argument(index)->type())->size_bytes()));
    }
    return require_host_memory(total, "the program's plan");
  }

  static Status check_input(std::span<const HostTensor> inputs, std::size_t index,
                            const BlockType& type) {
    if (index >= inputs.size())
      return fail(ErrorCode::invalid_input, "input " + std::to_string(index) + " is missing");
    if (inputs[index].element == type.element() && inputs[index].shape == type.shape()) return {};
    return fail(ErrorCode::invalid_input,
                "input " + std::to_string(index) + " is " +
                    std::string(to_string(inputs[index].element)) +
                    tensor::shape_to_string(inputs[index].shape) + ", the program takes " +
                    std::string(to_string(type.element())) + tensor::shape_to_string(type.shape()));
  }

  /// Arena blocks by the step of their last use through any view.
  static std::unordered_map<std::size_t, std::vector<const Operation*>> find_last_uses(
      std::span<Operation* const> operations) {
    std::unordered_map<const Value*, const Operation*> block_of;
    std::unordered_map<const Operation*, std::size_t> last;
    for (std::size_t step = 0; step < operations.size(); ++step) {
      const Operation& operation = *operations[step];
      if (operation.name() == "host.block") block_of[operation.result()] = &operation;
      for (const Value* operand : operation.operands())
        if (const auto block = block_of.find(operand); block != block_of.end()) {
          if (operation.name() == "host.view") block_of[operation.result()] = block->second;
          last[block->second] = step;
        }
    }
    std::unordered_map<std::size_t, std::vector<const Operation*>> ended;
    for (const auto& [block, step] : last) ended[step].push_back(block);
    return ended;
  }

  std::span<std::byte> bytes_of(const Value& value) {
    const host::Place place = host::place_of(value);
    std::vector<std::byte>* memory = nullptr;
    switch (place.space) {
      case Space::arena: memory = &arena_; break;
      case Space::workspace: memory = &workspace_; break;
      case Space::constant: memory = &constants_; break;
      case Space::input:
      case Space::output: memory = &arguments_[place.argument]; break;
    }
    return std::span(*memory).subspan(static_cast<std::size_t>(place.offset_bytes),
                                      static_cast<std::size_t>(place.size_bytes));
  }

  Status run_step(const Operation& operation) {
    if (operation.name() == "host.item_into") return run_item(operation);
    if (operation.name() == "host.launch") return run_launch(operation);
    if (operation.name() != "host.constant") return {};
    ACCY_TRY_ASSIGN(const HostTensor value, constant_bytes(operation, weights_));
    std::ranges::copy(value.bytes, bytes_of(*operation.result()).begin());
    return {};
  }

  Status run_item(const Operation& item) {
    const auto reads = static_cast<std::size_t>(host::integer_or(item, "reads", 0));
    std::vector<HostTensor> operands;
    for (std::size_t index = 0; index < reads; ++index) {
      const auto type = BlockType::from(item.operand(index)->type());
      const auto bytes = bytes_of(*item.operand(index));
      operands.push_back({type->element(), type->shape(), {bytes.begin(), bytes.end()}});
    }
    ACCY_TRY_ASSIGN(const std::vector<HostTensor> results,
                    evaluate_block(item.body(), operands, weights_));
    for (std::size_t index = 0; index < results.size(); ++index)
      std::ranges::copy(results[index].bytes, bytes_of(*item.operand(reads + index)).begin());
    return {};
  }

  Status run_launch(const Operation& launch) {
    const std::string name(launch.attribute("kernel").text());
    auto program = programs_.find(name);
    if (program == programs_.end()) {
      const Operation* function = module_.lookup(name);
      if (function == nullptr || function->name() != kernel::op::func)
        return fail(ErrorCode::invalid_input,
                    "launch of a kernel without a program (@" + name + ")");
      ACCY_TRY_ASSIGN(KernelProgram decoded, KernelProgram::decode(*function));
      program = programs_.emplace(name, std::move(decoded)).first;
    }
    std::vector<KernelArgument> arguments;
    for (std::size_t index = 0; index < launch.operand_count(); ++index) {
      const bool writes = kernel::can_write(program->second.layout().slots[index].access);
      const auto bytes = bytes_of(*launch.operand(index));
      arguments.push_back(writes ? KernelArgument::buffer(bytes)
                                 : KernelArgument::constant_buffer(bytes));
    }
    return program->second.run(host::triple(launch, "grid"), arguments, options_);
  }

  const choir::Module& module_;
  const Operation& function_;
  const WeightSource& weights_;
  InterpreterOptions options_;
  std::vector<std::byte> arena_, workspace_, constants_;
  std::vector<std::vector<std::byte>> arguments_;
  std::unordered_map<std::string, KernelProgram> programs_;
};

}  // namespace

Result<std::vector<HostTensor>> evaluate_items(const choir::Module& module,
                                               std::span<const HostTensor> inputs,
                                               const WeightSource& weights) {
  ACCY_TRY_ASSIGN(const Operation* function, host_function(module));
  const choir::Block& body = function->body();
  ACCY_TRY(check_count(inputs, body.argument_count()));
  ItemRunner runner(weights);
  for (std::size_t index = 0; index < inputs.size(); ++index)
    runner.set(*body.argument(index), inputs[index]);
  std::vector<HostTensor> results;
  for (const Operation* operation : body.operations()) {
    if (operation->name() != "host.return") {
      ACCY_TRY(runner.run(*operation));
      continue;
    }
    for (const Value* operand : operation->operands()) results.push_back(runner.get(*operand));
  }
  return results;
}

Result<std::vector<HostTensor>> evaluate_blocks(const choir::Module& module,
                                                std::span<const HostTensor> inputs,
                                                const WeightSource& weights,
                                                const InterpreterOptions& options) {
  ACCY_TRY(host_function(module));
  BlockRunner runner(module, weights, options);
  ACCY_TRY(runner.prepare(inputs));
  ACCY_TRY(runner.run());
  return runner.outputs();
}

Result<HostTensor> constant_bytes(const Operation& constant, const WeightSource& weights) {
  const auto type = BlockType::from(constant.result()->type());
  const std::vector<std::int64_t> shape = type->shape();
  if (const choir::Attribute file = constant.attribute("file"); !file)
    return tensor::constant_value(constant.attribute("value"), type->element(), shape);
  else {
    ACCY_TRY_ASSIGN(HostTensor value,
                    weights.load(file.text(), constant.attribute("tensor").text(),
                                 constant.location().first()));
    if (value.element == type->element() && value.shape == shape) return value;
    return fail(ErrorCode::invalid_input,
                "weight '" + std::string(constant.attribute("tensor").text()) + "' is " +
                    std::string(to_string(value.element)) + tensor::shape_to_string(value.shape) +
                    ", the program declares " + std::string(to_string(type->element())) +
                    tensor::shape_to_string(shape),
                constant.location().first(), "tensor.weight");
  }
}

}  // namespace accy::evaluate
