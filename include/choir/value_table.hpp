// ValueTable: what an algorithm knows of each value. ValueMap: where a copy has it.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "choir/operation.hpp"

namespace accy::choir {

/// A map from the values of one context, by their number: neighbours in the program are neighbours
/// here, which a hash would scatter. Pages without an entry take no room. Values of another context
/// are not found.
template <class T>
class ValueTable {
 public:
  /// The value's entry, or null.
  T* find(const Value* value) { return const_cast<T*>(std::as_const(*this).find(value)); }
  const T* find(const Value* value) const {
    const std::size_t page = value->id() / page_size;
    if (page >= pages_.size() || pages_[page] == nullptr) return nullptr;
    const Slot& slot = (*pages_[page])[value->id() % page_size];
    return slot.key == value ? &slot.entry : nullptr;
  }
  bool contains(const Value* value) const { return find(value) != nullptr; }

  /// The value's entry, made when there is none.
  T& operator[](const Value* value) {
    const std::size_t page = value->id() / page_size;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    Slot& slot = (*pages_[page])[value->id() % page_size];
    if (slot.key != value) slot = {value, T()};
    return slot.entry;
  }

  void erase(const Value* value) {
    if (contains(value)) (*pages_[value->id() / page_size])[value->id() % page_size] = {};
  }

 private:
  static constexpr std::size_t page_size = 256;
  struct Slot {
    const Value* key = nullptr;
    T entry{};
  };
  using Page = std::array<Slot, page_size>;
  std::vector<std::unique_ptr<Page>> pages_;
};

/// From values of one body to those of its copy.
class ValueMap {
 public:
  Value*& operator[](const Value* value) { return values_[value]; }
  bool contains(const Value* value) const { return values_.contains(value); }
  /// The entry of a value that has one.
  Value* at(const Value* value) const {
    Value* const* found = values_.find(value);
    ACCY_ASSERT(found != nullptr, "value has no copy");
    return *found;
  }
  /// The entry, or the value itself where it has none.
  Value* copy_of(Value* value) const {
    Value* const* found = value == nullptr ? nullptr : values_.find(value);
    return found == nullptr ? value : *found;
  }

 private:
  ValueTable<Value*> values_;
};

}  // namespace accy::choir
