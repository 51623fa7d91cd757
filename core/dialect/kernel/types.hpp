// The types of kernel programs: scalars, vectors, device buffers and workgroup memory.
#pragma once

#include <cstdint>
#include <optional>

#include "accy/element_type.hpp"
#include "choir/context.hpp"
#include "choir/operation.hpp"

namespace accy::kernel {

/// What a program may do with a buffer.
enum class Access : std::uint8_t { read, write, read_write };
/// How a buffer reaches the program.
enum class Binding : std::uint8_t { address, texel, storage };

std::string_view to_string(Access access);
std::string_view to_string(Binding binding);

constexpr bool can_read(Access access) { return access != Access::write; }
constexpr bool can_write(Access access) { return access != Access::read; }

/// `vector<f32, 4>`: scalars moved by one access of at most 16 bytes.
struct VectorType {
  ElementType element = ElementType::f32;
  std::int64_t width = 0;
  friend bool operator==(const VectorType&, const VectorType&) = default;
};

/// `buffer<f32, read, address>`: device memory.
struct BufferType {
  ElementType element = ElementType::f32;
  Access access = Access::read;
  Binding binding = Binding::address;
  friend bool operator==(const BufferType&, const BufferType&) = default;
};

/// `shared<f32, 1024>`: workgroup memory of `count` elements.
struct SharedType {
  ElementType element = ElementType::f32;
  std::int64_t count = 0;
  friend bool operator==(const SharedType&, const SharedType&) = default;
};

// The types as choir types; the values must be legal.
choir::Type get_type(choir::Context& context, ElementType element);
choir::Type get_type(choir::Context& context, const VectorType& vector);
choir::Type get_type(choir::Context& context, const BufferType& buffer);
choir::Type get_type(choir::Context& context, const SharedType& shared);

// What a choir type is; nothing when it is of another kind or its parameters are illegal.
std::optional<ElementType> as_scalar(choir::Type type);
std::optional<VectorType> as_vector(choir::Type type);
std::optional<BufferType> as_buffer(choir::Type type);
std::optional<SharedType> as_shared(choir::Type type);

/// Element type of a scalar, vector, buffer or shared type; asserts that it is one of them.
ElementType element_of(choir::Type type);
/// Scalars in a value of that type: 1 for a scalar, the width of a vector.
std::int64_t width_of(choir::Type type);

/// Bytes of workgroup memory a `shared` may take; a profile's limit is checked elsewhere.
inline constexpr std::int64_t shared_bytes_maximum = std::int64_t{1} << 20;

/// Registers the types; scalar types another dialect registered are left alone.
void register_kernel_types(choir::Registry& registry);

}  // namespace accy::kernel
