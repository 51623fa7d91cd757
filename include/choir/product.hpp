// Stage products: a sealed, immutable Revision of a module, its key, and the store that reuses it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "accy/digest.hpp"
#include "accy/export.hpp"
#include "choir/fact.hpp"
#include "choir/module.hpp"
#include "choir/reference.hpp"
#include "choir/text.hpp"

namespace accy::choir {

/// A schema that a product was made under; a reader requires the ones it understands.
struct ACCY_EXPORT SchemaGate {
  std::string name;
  std::uint32_t version = 0;
  friend bool operator==(const SchemaGate&, const SchemaGate&) = default;
};

/// The gate of the operation text itself; every product carries it.
inline SchemaGate operation_schema() { return {"choir.operation", 1}; }

/// Names a product by its content.
struct ACCY_EXPORT Address {
  std::string stage;
  Digest content;
  friend auto operator<=>(const Address&, const Address&) = default;
};

/// Identity of the work that makes a product: schema, recipe and options, the predecessor's
/// content, the facts read. Equal keys mean that the product may be reused.
struct ACCY_EXPORT ProductKey {
  Digest value;
  friend auto operator<=>(const ProductKey&, const ProductKey&) = default;
};

class Revision;
using RevisionRef = Ref<const Revision>;

struct ACCY_EXPORT Dependency {
  std::string name;  ///< "source" is the previous stage's revision
  RevisionRef revision;
};

/// Everything about a revision but its module.
struct ACCY_EXPORT RevisionMetadata {
  Address address;
  std::vector<SchemaGate> gates;
  std::vector<Dependency> dependencies;
  ProductKey key;
  std::vector<Fact> facts;  ///< what its stage read beyond the predecessor, sorted by name
};

/// A sealed product of one stage: immutable, shared by threads.
class ACCY_EXPORT Revision : public ReferenceCounted {
 public:
  Revision(Module module, RevisionMetadata metadata)
      : module_(std::move(module)), metadata_(std::move(metadata)) {}

  const Module& module() const { return module_; }
  const RevisionMetadata& metadata() const { return metadata_; }
  const Address& address() const { return metadata_.address; }
  /// The dependency of that name; null when it was not declared.
  RevisionRef dependency(std::string_view name) const;
  /// An error naming the gate that is missing or of another version.
  Status require_gates(std::span<const SchemaGate> gates) const;
  /// An error unless the dependency is declared and is that very content.
  Status require_dependency(std::string_view name, const Revision& revision) const;

 private:
  const Module module_;
  const RevisionMetadata metadata_;
};

/// Digest of the meaning of a module, or of one operation with its regions: the bytecode without
/// locations and source names.
ACCY_EXPORT Digest content_digest(const Module& module);
ACCY_EXPORT Digest content_digest(const Operation& operation);

/// What is legal in one stage's product.
struct ACCY_EXPORT StageSpec {
  std::string_view stage;
  std::uint32_t version = 1;
  /// Whether an operation may occur.
  bool (*legal)(const Operation& operation) = nullptr;
  /// Whole-module rules that no single operation can state; may be null.
  void (*verify)(const Module& module, Diagnostics& diagnostics) = nullptr;
  /// Whether `verify` stands modules whose operations are faulty, so that a text's faults are
  /// reported together.
  bool verifies_any = false;

  SchemaGate schema() const { return {"accy." + std::string(stage), version}; }
  /// Structure, every operation's own rules, and this spec.
  Status check(const Module& module) const;
  /// This spec alone, behind a verification whose faults are in `diagnostics`.
  void check_rules(const Module& module, Diagnostics& diagnostics) const;
  /// Reads and checks a text of this stage; the error lists the faults of syntax, operations and
  /// stage together, by place. `file` names the text.
  Result<Module> read(std::string_view text, std::string_view file, const Registry& registry) const;
};

/// A module under construction at one stage, owned by one pipeline. Sealing is the only way to
/// make a Revision, so that a Revision is the proof that its stage's spec holds.
class ACCY_EXPORT Draft {
 public:
  Draft(const StageSpec& spec, Module module) : spec_(&spec), module_(std::move(module)) {
    module_.set_stage(spec.stage);
  }
  /// A draft of the next stage from a sealed product: one linear copy.
  static Draft from(const StageSpec& spec, const Revision& source) {
    return Draft(spec, source.module().clone());
  }
  /// The same for a pipeline that begins with a nest: what it is going to replace is left out, and
  /// the nest reads it in the source (RunOptions::bodies).
  static Draft outline(const StageSpec& spec, const Revision& source, std::string_view anchor) {
    return Draft(spec, source.module().clone_outline(anchor));
  }
  Module& module() { return module_; }
  /// Verifies, digests and freezes.
  Result<RevisionRef> seal(std::vector<Dependency> dependencies, ProductKey key,
                           std::vector<Fact> facts = {}) &&;
  /// The same on a copy: the draft stays, for the next stage to go on in place with analyses that
  /// are valid for it.
  Result<RevisionRef> seal_copy(std::vector<Dependency> dependencies, ProductKey key,
                                std::vector<Fact> facts = {}) const;
  /// Makes it a draft of the next stage.
  void advance(const StageSpec& spec) {
    spec_ = &spec;
    module_.set_stage(spec.stage);
  }

 private:
  const StageSpec* spec_;
  Module module_;
};

/// What is known of a product before its stage runs.
struct ACCY_EXPORT ProductRequest {
  std::string stage;
  std::uint32_t schema_version = 1;
  std::string recipe;  ///< pass names and their options, in order
  Digest predecessor;  ///< content digest; zero for the semantic stage
};

/// The key, once the facts read are known.
ACCY_EXPORT ProductKey product_key(const ProductRequest& request, std::span<const Fact> facts);

/// What a store needs to give a product back.
struct ACCY_EXPORT ProductLookup {
  const StageSpec& spec;     ///< what the product is checked against when it is read again
  const Registry& registry;  ///< operations and types of its module
  RevisionRef source;        ///< its dependency "source"; null where there is none
  /// A fact's present value.
  const std::function<std::string(std::string_view)>& value_of;
};

/// Products of earlier runs, looked up in two levels: the request, then the first trace of facts
/// that holds now. Safe for use by several threads. A store never fails: what it cannot give back,
/// or not prove to be what was put in, is a miss.
class ACCY_EXPORT ProductStore {
 public:
  virtual ~ProductStore() = default;
  /// Null when no trace holds.
  virtual RevisionRef find(const ProductRequest& request, const ProductLookup& lookup) = 0;
  /// The facts are the revision's.
  virtual void insert(const ProductRequest& request, const RevisionRef& revision) = 0;
};

/// Digest of a request: the first level of a store.
ACCY_EXPORT Digest request_digest(const ProductRequest& request);

/// A store in memory, as long as it lives.
class ACCY_EXPORT MemoryStore : public ProductStore {
 public:
  RevisionRef find(const ProductRequest& request, const ProductLookup& lookup) override;
  void insert(const ProductRequest& request, const RevisionRef& revision) override;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::map<Digest, std::vector<RevisionRef>> traces_;
};

}  // namespace accy::choir
