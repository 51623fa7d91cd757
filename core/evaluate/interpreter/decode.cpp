// Decoding: from a verified kernel.func to the flat form.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "evaluate/interpreter/program.hpp"
#include "evaluate/interpreter/registers.hpp"

namespace accy::evaluate::interpreter {
namespace {

namespace op = kernel::op;
using choir::Block;
using choir::Operation;
using choir::Value;

std::uint32_t lane_bytes(const Value* value) {
  return static_cast<std::uint32_t>(size_bytes(kernel::element_of(value->type())));
}

Handler find_handler(const Operation& operation) {
  for (const auto family : {memory_handler, arithmetic_handler, compare_handler, convert_handler,
                            math_handler, subgroup_handler})
    if (const Handler handler = family(operation)) return handler;
  return nullptr;
}

class Decoder {
 public:
  explicit Decoder(const Operation& function)
      : function_(function), program_(std::make_unique<Program>()) {}

  Result<std::unique_ptr<const Program>> run() {
    program_->name = std::string(function_.symbol());
    program_->workgroup = kernel::workgroup_size(function_);
    program_->subgroup = kernel::subgroup_size(function_);
    program_->lanes = static_cast<std::size_t>(kernel::workgroup_invocations(function_));
    ACCY_TRY_ASSIGN(program_->layout, kernel::argument_layout(function_));
    registers_.emplace(program_->lanes);
    place_parameters();
    ACCY_TRY(decode_block(function_.body(), 0));
    program_->register_bytes = registers_->size_bytes();
    if (program_->register_bytes > register_bytes_maximum)
      return fail(ErrorCode::unsupported,
                  "registers of a workgroup take too many bytes (" +
                      std::to_string(program_->register_bytes) + ", limit " +
                      std::to_string(register_bytes_maximum) + ")",
                  function_.location().first(), std::string(function_.name()));
    return std::unique_ptr<const Program>(std::move(program_));
  }

 private:
  void place_parameters() {
    const Block& body = function_.body();
    for (std::size_t index = 0; index < body.argument_count(); ++index) {
      const Value* argument = body.argument(index);
      const auto parameter = static_cast<std::uint32_t>(index);
      if (const auto buffer = kernel::as_buffer(argument->type())) {
        const std::string name = argument->name().empty()
                                     ? "argument " + std::to_string(index)
                                     : "buffer %" + std::string(argument->name());
        add_memory(argument, {buffer->element, false, buffer->access, parameter, 0, name});
      } else {
        place_preset(argument, Preset::Kind::parameter, index);
      }
    }
  }

  void add_memory(const Value* value, Memory memory) {
    memories_[value] = static_cast<std::uint32_t>(program_->memories.size());
    program_->memories.push_back(std::move(memory));
  }

  void place_preset(const Value* value, Preset::Kind kind, std::uint64_t content) {
    const std::uint32_t size = lane_bytes(value);
    const auto [entry, added] = presets_.try_emplace({kind, size, content}, 0);
    if (added) {
      entry->second = registers_->allocate_fresh(size);
      program_->presets.push_back({kind, entry->second, size, content});
    }
    places_[value] = entry->second;
  }

  /// Operations that need no instruction: they name memory or a preset register.
  bool place_without_code(const Operation& operation) {
    const std::string_view name = operation.name();
    if (name == op::shared) {
      const auto type = *kernel::as_shared(operation.result()->type());
      const Value* value = operation.result();
      const std::string label =
          value->name().empty() ? "shared memory" : "shared memory %" + std::string(value->name());
      add_memory(value, {type.element, true, kernel::Access::read_write, 0, type.count, label});
    } else if (name == op::constant) {
      place_preset(operation.result(), Preset::Kind::constant, kernel::constant_bits(operation));
    } else if (name == op::local_id) {
      place_preset(operation.result(), Preset::Kind::local_id, axis_of(operation));
    } else if (name == op::workgroup_id) {
      place_preset(operation.result(), Preset::Kind::workgroup_id, axis_of(operation));
    } else if (name == op::lane) {
      place_preset(operation.result(), Preset::Kind::lane, 0);
    } else {
      return false;
    }
    return true;
  }

  static std::uint64_t axis_of(const Operation& operation) {
    return static_cast<std::uint64_t>(kernel::axis(operation));
  }

  /// Decodes into a block of its own; gives its index.
  Result<std::uint32_t> decode_block(const Block& block, std::size_t depth) {
    const auto number = static_cast<std::uint32_t>(program_->blocks.size());
    program_->blocks.emplace_back();
    program_->depth = std::max(program_->depth, depth);
    const std::vector<Operation*> operations = block.operations();
    const DeathList deaths = find_deaths(block, operations);
    std::vector<Instruction> code;
    for (std::size_t position = 0; position < operations.size(); ++position) {
      const Operation& operation = *operations[position];
      if (operation.has(choir::Trait::terminator)) break;
      if (!place_without_code(operation)) {
        ACCY_TRY_ASSIGN(Instruction instruction, decode_operation(operation, depth));
        code.push_back(std::move(instruction));
      }
      for (const Value* value : deaths[position]) release(value);
    }
    program_->blocks[number] = std::move(code);
    return number;
  }

  Register allocate(const Value* value) {
    const auto width = static_cast<std::uint32_t>(kernel::width_of(value->type()));
    return places_[value] = registers_->allocate(lane_bytes(value) * width);
  }

  void release(const Value* value) {
    const auto width = static_cast<std::uint32_t>(kernel::width_of(value->type()));
    registers_->release(place(value), lane_bytes(value) * width);
  }

  Register place(const Value* value) const {
    const auto found = places_.find(value);
    ACCY_ASSERT(found != places_.end(), "value without a register");
    return found->second;
  }

  std::uint32_t memory_of(const Value* value) const {
    const auto found = memories_.find(value);
    ACCY_ASSERT(found != memories_.end(), "access to memory that is no parameter");
    return found->second;
  }

  Result<Instruction> decode_operation(const Operation& operation, std::size_t depth) {
    Instruction instruction;
    instruction.origin = static_cast<std::uint32_t>(program_->origins.size());
    program_->origins.push_back({operation.location().first(), std::string(operation.name())});
    if (operation.name() == op::for_op) {
      instruction.kind = InstructionKind::loop;
      ACCY_TRY_ASSIGN(instruction.memory, decode_loop(operation, depth));
      return instruction;
    }
    if (operation.name() == op::if_op) {
      instruction.kind = InstructionKind::branch;
      ACCY_TRY_ASSIGN(instruction.memory, decode_branch(operation, depth));
      return instruction;
    }
    instruction.handler = find_handler(operation);
    if (instruction.handler == nullptr)
      return fail(ErrorCode::unsupported, "the kernel interpreter does not execute this operation",
                  operation.location().first(), std::string(operation.name()));
    fill_operands(operation, instruction);
    return instruction;
  }

  void fill_operands(const Operation& operation, Instruction& instruction) {
    const std::string_view name = operation.name();
    for (std::size_t index = 0; index < operation.operand_count(); ++index) {
      const Value* operand = operation.operand(index);
      if (kernel::as_buffer(operand->type()) || kernel::as_shared(operand->type()))
        instruction.memory = memory_of(operand);
      else if (name == op::compose)
        instruction.elements.push_back(place(operand));
      else
        instruction.operands[index] = place(operand);
    }
    if (operation.result_count() != 0) instruction.result = allocate(operation.result());
    if (name == op::load || name == op::store) {
      const Value* value = name == op::store ? operation.operand(0) : operation.result();
      instruction.width = static_cast<std::uint32_t>(kernel::width_of(value->type()));
    }
    if (name == op::extract) instruction.immediate = kernel::lane_index(operation);
    if (name == op::shuffle_xor) instruction.immediate = kernel::mask(operation);
  }

  Result<std::uint32_t> decode_loop(const Operation& operation, std::size_t depth) {
    Loop loop;
    const Block& body = operation.body();
    for (std::size_t index = 0; index < 3; ++index)
      loop.bounds[index] = place(operation.operand(index));
    const choir::Attribute trips = operation.attribute("maximum_trips");
    if (trips.is(choir::AttributeKind::integer)) loop.maximum_trips = trips.integer();
    loop.index = allocate(body.argument(0));
    for (std::size_t index = 0; index < operation.result_count(); ++index) {
      const Value* argument = body.argument(index + 1);
      // The carried value and the result live in one register.
      places_[operation.result(index)] = allocate(argument);
      loop.enter.push_back(
          {place(argument), place(operation.operand(index + 3)), lane_bytes(argument)});
    }
    ACCY_TRY_ASSIGN(loop.body, decode_block(body, depth + 1));
    const Operation& yield = *body.terminator();
    for (std::size_t index = 0; index < yield.operand_count(); ++index)
      loop.next.push_back({place(body.argument(index + 1)), place(yield.operand(index)),
                           lane_bytes(body.argument(index + 1))});
    order_moves(loop.next);
    registers_->release(loop.index, lane_bytes(body.argument(0)));
    program_->loops.push_back(std::move(loop));
    return static_cast<std::uint32_t>(program_->loops.size() - 1);
  }

  /// The yielded values replace the carried ones all at once: where one of them is a carried value
  /// itself, all go through registers of their own.
  void order_moves(std::vector<Move>& moves) {
    std::erase_if(moves, [](const Move& move) { return move.to == move.from; });
    const bool overlaps = std::any_of(moves.begin(), moves.end(), [&](const Move& a) {
      return std::any_of(moves.begin(), moves.end(), [&](const Move& b) { return a.to == b.from; });
    });
    if (!overlaps) return;
    std::vector<Move> staged;
    std::vector<Move> final_moves;
    for (const Move& move : moves) {
      const Register stage = registers_->allocate(move.size_bytes);
      staged.push_back({stage, move.from, move.size_bytes});
      final_moves.push_back({move.to, stage, move.size_bytes});
    }
    for (const Move& move : staged) registers_->release(move.to, move.size_bytes);
    moves = std::move(staged);
    moves.insert(moves.end(), final_moves.begin(), final_moves.end());
  }

  Result<std::uint32_t> decode_branch(const Operation& operation, std::size_t depth) {
    Branch branch;
    branch.condition = place(operation.operand(0));
    for (std::size_t index = 0; index < operation.result_count(); ++index)
      allocate(operation.result(index));
    for (std::size_t region = 0; region < 2; ++region) {
      const Block& body = operation.body(region);
      ACCY_TRY_ASSIGN(branch.bodies[region], decode_block(body, depth + 1));
      const Operation& yield = *body.terminator();
      for (std::size_t index = 0; index < yield.operand_count(); ++index)
        branch.results[region].push_back({place(operation.result(index)),
                                          place(yield.operand(index)),
                                          lane_bytes(operation.result(index))});
    }
    program_->branches.push_back(std::move(branch));
    return static_cast<std::uint32_t>(program_->branches.size() - 1);
  }

  const Operation& function_;
  std::unique_ptr<Program> program_;
  std::optional<RegisterFile> registers_;
  std::unordered_map<const Value*, Register> places_;
  std::unordered_map<const Value*, std::uint32_t> memories_;
  std::map<std::tuple<Preset::Kind, std::uint32_t, std::uint64_t>, Register> presets_;
};

}  // namespace

Result<std::unique_ptr<const Program>> decode_program(const Operation& function) {
  return Decoder(function).run();
}

}  // namespace accy::evaluate::interpreter
