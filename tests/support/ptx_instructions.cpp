// The instructions of the PTX evaluator.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "accy/element_type.hpp"
#include "support/ptx_evaluator.hpp"

namespace accy::test {

namespace {

using Instruction = PtxProgram::Instruction;
using Strings = std::vector<std::string>;
using Reader = std::function<std::uint64_t(const PtxThread&)>;
using Run = std::function<void(PtxProgram&, PtxThread&)>;

struct Half {};
struct Bfloat {};

template <class T>
struct Tag {
  using type = T;
};

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class F>
auto with_type(const std::string& type, const F& use) {
  if (type == "s8") return use(Tag<std::int8_t>());
  if (type == "s16") return use(Tag<std::int16_t>());
  if (type == "s32") return use(Tag<std::int32_t>());
  if (type == "s64") return use(Tag<std::int64_t>());
  if (type == "u8" || type == "b8") return use(Tag<std::uint8_t>());
  if (type == "u16" || type == "b16") return use(Tag<std::uint16_t>());
  if (type == "u32" || type == "b32") return use(Tag<std::uint32_t>());
  if (type == "u64" || type == "b64") return use(Tag<std::uint64_t>());
  if (type == "f32") return use(Tag<float>());
  if (type == "f64") return use(Tag<double>());
  throw PtxError("unknown type " + type);
}

Strings split(const std::string& text, char separator) {
  Strings parts{""};
  for (const char character : text) {
    if (character == separator) {
      parts.emplace_back();
    } else if (character != ' ') {
      parts.back() += character;
    }
  }
  return parts;
}

Strings names_of(const std::string& operand) {
  if (operand.front() != '{') return {operand};
  return split(operand.substr(1, operand.size() - 2), ',');
}

std::size_t destination(PtxProgram& program, const std::string& name) {
  return static_cast<std::size_t>(program.register_index(name));
}

std::optional<std::uint64_t> immediate(const std::string& text) {
  if (text.starts_with("0f") || text.starts_with("0d"))
    return std::stoull(text.substr(2), nullptr, 16);
  if (text.starts_with("0x")) return std::stoull(text, nullptr, 16);
  const bool number = !text.empty() && (text.front() == '-' || std::isdigit(text.front()) != 0);
  if (!number) return std::nullopt;
  return static_cast<std::uint64_t>(std::stoll(text));
}

Reader reader(PtxProgram& program, const std::string& text) {
  if (const auto bits = immediate(text)) return [bits](const PtxThread&) { return *bits; };
  static const Strings axes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (text == "%tid." + axes[axis])
      return [axis](const PtxThread& thread) { return std::uint64_t{thread.local[axis]}; };
    if (text == "%ctaid." + axes[axis])
      return [axis](const PtxThread& thread) { return std::uint64_t{thread.group[axis]}; };
  }
  if (text == "%laneid")  // accy's programs with lanes have rows of whole warps
    return [](const PtxThread& thread) { return std::uint64_t{thread.local[0] % 32}; };
  if (program.has_symbol(text)) {
    const std::uint64_t offset = program.symbol(text);
    return [offset](const PtxThread&) { return offset; };
  }
  const std::size_t index = destination(program, text);
  return [index](const PtxThread& thread) { return thread.registers[index]; };
}

/// `[base+offset]`.
Reader address_reader(PtxProgram& program, const std::string& operand) {
  const std::string inner = operand.substr(1, operand.size() - 2);
  const auto plus = inner.find('+');
  const Reader base = reader(program, inner.substr(0, plus));
  const std::uint64_t offset = plus == std::string::npos ? 0 : std::stoull(inner.substr(plus + 1));
  return [base, offset](const PtxThread& thread) { return base(thread) + offset; };
}

/// A result of `compute` on the sources' raw bits.
template <class F>
Run compute(PtxProgram& program, const Strings& operands, const F& function) {
  const std::size_t result = destination(program, operands.at(0));
  std::vector<Reader> sources;
  for (std::size_t i = 1; i < operands.size(); ++i) sources.push_back(reader(program, operands[i]));
  return [result, sources, function](PtxProgram&, PtxThread& thread) {
    std::array<std::uint64_t, 4> bits{};
    for (std::size_t i = 0; i < sources.size(); ++i) bits[i] = sources[i](thread);
    thread.registers[result] = function(bits);
  };
}

using Bits = std::array<std::uint64_t, 4>;

// --- arithmetic -----------------------------------------------------------------------------

template <class T>
T extremum(T a, T b, bool minimum, bool propagate) {
  if constexpr (std::is_floating_point_v<T>) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    if (std::isnan(a) && std::isnan(b)) return nan;
    if (std::isnan(a) || std::isnan(b)) return propagate ? nan : std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) == minimum ? a : b;
  }
  return minimum ? std::min(a, b) : std::max(a, b);
}

template <class T>
T divide(T a, T b, bool remainder) {
  if (b == 0) throw PtxError("division by zero");
  if constexpr (std::is_signed_v<T>)
    if (a == std::numeric_limits<T>::min() && b == -1) throw PtxError("division overflow");
  return remainder ? static_cast<T>(a % b) : static_cast<T>(a / b);
}

template <class T>
T arithmetic(const std::string& name, T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    if (name == "add") return a + b;
    if (name == "sub") return a - b;
    if (name == "mul") return a * b;
    if (name == "fma") return std::fma(a, b, c);
    if (name == "div") return a / b;
    if (name == "sqrt") return std::sqrt(a);
    if (name == "neg") return -a;
    if (name == "abs") return std::fabs(a);
    if (name == "ex2") return static_cast<T>(std::exp2(static_cast<double>(a)));
    if (name == "lg2") return static_cast<T>(std::log2(static_cast<double>(a)));
  } else {
    using Wide = std::make_unsigned_t<T>;
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    if (name == "add") return static_cast<T>(static_cast<Wide>(ua + ub));
    if (name == "sub") return static_cast<T>(static_cast<Wide>(ua - ub));
    if (name == "mul") return static_cast<T>(static_cast<Wide>(ua * ub));
    if (name == "mad")
      return static_cast<T>(static_cast<Wide>(ua * ub + static_cast<std::uint64_t>(c)));
    if (name == "neg") return static_cast<T>(static_cast<Wide>(0 - ua));
    if (name == "div" || name == "rem") return divide(a, b, name == "rem");
    if (name == "shl")
      return ub >= sizeof(T) * 8 ? T{0} : static_cast<T>(static_cast<Wide>(ua << ub));
    if (name == "and") return static_cast<T>(a & b);
    if (name == "or") return static_cast<T>(a | b);
    if (name == "xor") return static_cast<T>(a ^ b);
    if (name == "not") return static_cast<T>(~a);
  }
  throw PtxError("unknown instruction " + name);
}

/// shr and shl take a 32-bit amount, whatever the type.
template <class T>
T shift_right(T a, std::uint32_t amount) {
  const std::uint32_t width = sizeof(T) * 8;
  if (amount >= width) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> amount);
}

Run arithmetic_run(PtxProgram& program, const std::string& name, const Strings& parts,
                   const Strings& operands) {
  const bool propagate = std::find(parts.begin(), parts.end(), "NaN") != parts.end();
  return with_type(parts.back(), [&](auto tag) -> Run {
    using T = typename decltype(tag)::type;
    return compute(program, operands, [name, propagate](const Bits& bits) {
      const T a = from_bits<T>(bits[0]);
      const T b = from_bits<T>(bits[1]);
      if (name == "min" || name == "max") return to_bits(extremum(a, b, name == "min", propagate));
      if constexpr (std::is_integral_v<T>) {
        const auto amount = static_cast<std::uint32_t>(bits[1]);
        if (name == "shr") return to_bits(shift_right(a, amount));
        if (name == "shl")
          return to_bits(arithmetic<T>(name, a, static_cast<T>(std::min(amount, 64U)), 0));
      }
      return to_bits(arithmetic<T>(name, a, b, from_bits<T>(bits[2])));
    });
  });
}

Run predicate_logic(PtxProgram& program, const std::string& name, const Strings& operands) {
  return compute(program, operands, [name](const Bits& bits) -> std::uint64_t {
    const bool a = bits[0] != 0;
    const bool b = bits[1] != 0;
    if (name == "and") return a && b;
    if (name == "or") return a || b;
    if (name == "xor") return a != b;
    if (name == "not") return !a;
    throw PtxError("unknown predicate operation " + name);
  });
}

template <class T>
bool holds(const std::string& comparison, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) unordered = std::isnan(a) || std::isnan(b);
  if (comparison == "nan") return unordered;
  if (comparison == "neu") return unordered || a != b;
  if (comparison == "equ") return unordered || a == b;
  if (unordered) return false;
  if (comparison == "eq") return a == b;
  if (comparison == "ne") return a != b;
  if (comparison == "lt") return a < b;
  if (comparison == "le") return a <= b;
  if (comparison == "gt") return a > b;
  if (comparison == "ge") return a >= b;
  throw PtxError("unknown comparison " + comparison);
}

// --- conversions ----------------------------------------------------------------------------

/// Any float source as f64, exactly.
double float_source(const std::string& type, std::uint64_t bits) {
  if (type == "f16") return double_from_half(static_cast<std::uint16_t>(bits));
  if (type == "f32") return from_bits<float>(bits);
  return from_bits<double>(bits);
}

std::uint64_t round_to(const std::string& type, double value, bool towards_zero) {
  if (type == "f16") return half_from_double(value);
  if (type == "bf16") return std::isnan(value) ? 0x7fff : bfloat16_from_double(value);
  if (type == "f64") return to_bits(value);
  const int rounding = std::fegetround();
  if (towards_zero) std::fesetround(FE_TOWARDZERO);
  // volatile keeps the conversion between the two calls
  const volatile double source = value;
  const volatile float result = static_cast<float>(source);
  std::fesetround(rounding);
  return to_bits(float{result});
}

template <class T>
std::uint64_t integer_from_float(double value, bool wide_source) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) {
    const bool zero = !wide_source && sizeof(T) < 8;
    return zero ? 0 : std::uint64_t{1} << (sizeof(T) * 8 - 1);
  }
  const double truncated = std::trunc(value);
  const double above = std::ldexp(1.0, Limits::digits);
  if (truncated >= above) return to_bits(Limits::max());
  if (truncated < static_cast<double>(Limits::min())) return to_bits(Limits::min());
  return to_bits(static_cast<T>(truncated));
}

template <class T>
std::uint64_t float_from_integer(const std::string& type, T value, bool towards_zero) {
  if (type == "f16") return half_from_double(static_cast<double>(value));
  const int rounding = std::fegetround();
  if (towards_zero) std::fesetround(FE_TOWARDZERO);
  const volatile T source = value;
  const volatile float single = static_cast<float>(source);
  const volatile double wide = static_cast<double>(source);
  std::fesetround(rounding);
  return type == "f32" ? to_bits(float{single}) : to_bits(double{wide});
}

bool is_float_type(const std::string& type) { return type.find('f') != std::string::npos; }

std::uint64_t convert(const std::string& to, const std::string& from, const std::string& rounding,
                      std::uint64_t bits) {
  if (is_float_type(from)) {
    double value = float_source(from, bits);
    if (rounding == "rmi") value = std::floor(value);
    if (rounding == "rpi") value = std::ceil(value);
    if (rounding == "rni") value = std::nearbyint(value);
    if (rounding == "rzi") value = std::trunc(value);
    if (is_float_type(to)) return round_to(to, value, rounding == "rz");
    return with_type(to, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) return integer_from_float<T>(value, from == "f64");
      return std::uint64_t{0};
    });
  }
  return with_type(from, [&](auto source_tag) {
    using S = typename decltype(source_tag)::type;
    const S value = from_bits<S>(bits);
    if constexpr (std::is_integral_v<S>)
      if (is_float_type(to)) return float_from_integer(to, value, rounding == "rz");
    return with_type(to, [&](auto tag) {
      using T = typename decltype(tag)::type;
      // A register holds a narrow signed result extended to its width; 32 bits are the least.
      if constexpr (std::is_integral_v<T>) return to_bits(static_cast<T>(value));
      return std::uint64_t{0};
    });
  });
}

// --- memory ---------------------------------------------------------------------------------

std::string space_of(const Strings& parts) { return parts.at(1); }

Run load(PtxProgram& program, const Strings& parts, const Strings& operands) {
  std::vector<std::size_t> results;
  for (const std::string& name : names_of(operands.at(0)))
    results.push_back(destination(program, name));
  const Reader address = address_reader(program, operands.at(1));
  const std::string space = space_of(parts);
  return with_type(parts.back(), [&](auto tag) -> Run {
    using T = typename decltype(tag)::type;
    return [=](PtxProgram& running, PtxThread& thread) {
      const std::byte* from = running.locate(space, address(thread), sizeof(T) * results.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        T value;
        std::memcpy(&value, from + i * sizeof(T), sizeof(T));
        // Narrow integers are extended into their 32-bit register.
        if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) < 4)
          thread.registers[results[i]] = to_bits(std::int32_t{value});
        else
          thread.registers[results[i]] = to_bits(value);
      }
    };
  });
}

Run store(PtxProgram& program, const Strings& parts, const Strings& operands) {
  std::vector<Reader> values;
  for (const std::string& name : names_of(operands.at(1))) values.push_back(reader(program, name));
  const Reader address = address_reader(program, operands.at(0));
  const std::string space = space_of(parts);
  const std::size_t size =
      with_type(parts.back(), [](auto tag) { return sizeof(typename decltype(tag)::type); });
  return [=](PtxProgram& running, PtxThread& thread) {
    std::byte* to = running.locate(space, address(thread), size * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t bits = values[i](thread);
      std::memcpy(to + i * size, &bits, size);
    }
  };
}

/// mov, also between a register and a tuple of smaller ones.
Run move(PtxProgram& program, const Strings& operands) {
  const Strings to = names_of(operands.at(0));
  const Strings from = names_of(operands.at(1));
  std::vector<std::size_t> results;
  for (const std::string& name : to) results.push_back(destination(program, name));
  std::vector<Reader> sources;
  for (const std::string& name : from) sources.push_back(reader(program, name));
  if (to.size() == 1 && from.size() == 1)
    return
        [=](PtxProgram&, PtxThread& thread) { thread.registers[results[0]] = sources[0](thread); };
  constexpr unsigned half = 16;  // only 32-bit words are taken apart
  constexpr std::uint64_t mask = 0xffff;
  return [=](PtxProgram&, PtxThread& thread) {
    if (results.size() == 2) {
      const std::uint64_t whole = sources.at(0)(thread);
      thread.registers[results[0]] = whole & mask;
      thread.registers[results[1]] = whole >> half & mask;
    } else {
      thread.registers[results[0]] = (sources.at(0)(thread) & mask) | (sources.at(1)(thread) & mask)
                                                                          << half;
    }
  };
}

// --- warp -----------------------------------------------------------------------------------

std::function<void(std::span<PtxThread>)> shuffle(PtxProgram& program, const Strings& operands) {
  const std::size_t result = destination(program, operands.at(0));
  const Reader source = reader(program, operands.at(1));
  const std::uint64_t mask = *immediate(operands.at(2));
  if (operands.at(3) != "31" || operands.at(4) != "0xffffffff")
    throw PtxError("shuffle of a part of the warp");
  return [=](std::span<PtxThread> lanes) {
    std::vector<std::uint64_t> values;
    for (const PtxThread& lane : lanes) values.push_back(source(lane));
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].registers[result] = values[i ^ mask];
  };
}

std::function<void(std::span<PtxThread>)> reduce(PtxProgram& program, const Strings& parts,
                                                 const Strings& operands) {
  const std::size_t result = destination(program, operands.at(0));
  const Reader source = reader(program, operands.at(1));
  const std::string name = parts.at(2);
  return with_type(parts.back(), [&](auto tag) -> std::function<void(std::span<PtxThread>)> {
    using T = typename decltype(tag)::type;
    return [=](std::span<PtxThread> lanes) {
      T total = from_bits<T>(source(lanes[0]));
      for (const PtxThread& lane : lanes.subspan(1)) {
        const T value = from_bits<T>(source(lane));
        total = name == "add" ? arithmetic<T>("add", total, value, 0)
                              : extremum(total, value, name == "min", false);
      }
      for (PtxThread& lane : lanes) lane.registers[result] = to_bits(total);
    };
  });
}

Run bit_field(PtxProgram& program, const std::string& name, const Strings& parts,
              const Strings& operands) {
  if (name == "bfi")
    return compute(program, operands, [](const Bits& bits) {
      const std::uint64_t mask = ((std::uint64_t{1} << bits[3]) - 1) << bits[2];
      return ((bits[1] & ~mask) | ((bits[0] << bits[2]) & mask)) & 0xffffffffU;
    });
  const bool is_signed = parts.back() == "s32";
  return compute(program, operands, [is_signed](const Bits& bits) {
    std::uint64_t field = (bits[0] >> bits[1]) & ((std::uint64_t{1} << bits[2]) - 1);
    if (is_signed && (field >> (bits[2] - 1)) != 0) field |= ~std::uint64_t{0} << bits[2];
    return field & 0xffffffffU;
  });
}

Run decode_rest(PtxProgram& program, const std::string& name, const Strings& parts,
                const Strings& operands) {
  if (name == "cvta") return move(program, operands);
  if (name == "bra") {
    return [target = operands.at(0)](PtxProgram& running, PtxThread& thread) {
      thread.next = running.label(target);
    };
  }
  if (name == "ret") return [](PtxProgram&, PtxThread& thread) { thread.finished = true; };
  if (name == "setp")
    return with_type(parts.back(), [&](auto tag) -> Run {
      using T = typename decltype(tag)::type;
      return compute(program, operands, [comparison = parts.at(1)](const Bits& bits) {
        return std::uint64_t{holds(comparison, from_bits<T>(bits[0]), from_bits<T>(bits[1]))};
      });
    });
  if (name == "selp")
    return compute(program, operands,
                   [](const Bits& bits) { return bits[2] != 0 ? bits[0] : bits[1]; });
  if (name == "bfe" || name == "bfi") return bit_field(program, name, parts, operands);
  if (name == "cvt") {
    const std::string to = parts.at(parts.size() - 2);
    const std::string from = parts.back();
    const std::string rounding = parts.size() == 4 ? parts[1] : "";
    const bool narrow = to == "s8" || to == "s16";
    if (narrow) throw PtxError("conversion to a narrow integer");
    return compute(program, operands,
                   [=](const Bits& bits) { return convert(to, from, rounding, bits[0]); });
  }
  return arithmetic_run(program, name, parts, operands);
}

}  // namespace

Instruction decode_ptx(PtxProgram& program, const std::string& opcode, const Strings& operands) {
  const Strings parts = split(opcode, '.');
  const std::string& name = parts.front();
  Instruction instruction;
  if (name == "bar") {
    instruction.collective = name;
  } else if (name == "shfl") {
    instruction.collective = name;
    instruction.exchange = shuffle(program, operands);
  } else if (name == "redux") {
    instruction.collective = name;
    instruction.exchange = reduce(program, parts, operands);
  } else if (name == "ld") {
    instruction.run = load(program, parts, operands);
  } else if (name == "st") {
    instruction.run = store(program, parts, operands);
  } else if (name == "mov") {
    instruction.run = move(program, operands);
  } else if (parts.back() == "pred") {
    instruction.run = predicate_logic(program, name, operands);
  } else if (name == "mul" && parts.at(1) == "wide") {
    instruction.run = compute(program, operands, [](const Bits& bits) {
      return to_bits(std::int64_t{from_bits<std::int32_t>(bits[0])} *
                     std::int64_t{from_bits<std::int32_t>(bits[1])});
    });
  } else {
    instruction.run = decode_rest(program, name, parts, operands);
  }
  return instruction;
}

}  // namespace accy::test
