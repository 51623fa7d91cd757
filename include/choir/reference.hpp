// Ref: an intrusive reference to an immutable shared object.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "accy/export.hpp"

namespace accy::choir {

/// Base of objects that Ref counts; the count is the only thing that changes after construction.
class ACCY_EXPORT ReferenceCounted {
 public:
  ReferenceCounted() = default;
  ReferenceCounted(const ReferenceCounted&) = delete;
  ReferenceCounted& operator=(const ReferenceCounted&) = delete;

 protected:
  ~ReferenceCounted() = default;

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<std::uint32_t> count_{0};
};

/// Shared ownership of one T; copying costs one atomic increment. Never forms cycles: products
/// refer only to earlier products.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over a freshly made object.
  static Ref adopt(T* fresh) {
    Ref ref;
    ref.object_ = fresh;
    ref.retain();
    return ref;
  }
  Ref(const Ref& other) : object_(other.object_) { retain(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { release(); }

  explicit operator bool() const { return object_ != nullptr; }
  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  void retain() {
    if (object_ != nullptr) object_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (object_ != nullptr && object_->count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete object_;
  }
  T* object_ = nullptr;
};

}  // namespace accy::choir
