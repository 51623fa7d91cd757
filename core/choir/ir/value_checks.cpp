#include "choir/ir/value_checks.hpp"

#include <algorithm>

#include "choir/ir/spelling.hpp"
#include "support/checked.hpp"

namespace accy::choir {

namespace {

std::string too_deep() {
  return "attributes and types nest too deep (the limit is " + std::to_string(limits::nesting) +
         " levels)";
}

}  // namespace

std::string ValueChecks::fault_of(const Context& context, Type type) {
  return is_known(type.storage()) ? std::string() : check(context, type, 0).fault;
}

std::string ValueChecks::fault_of(const Context& context, const NamedAttribute& attribute) {
  // The name is the context's own copy: one address, one text.
  if (!names_.contains(attribute.name.data())) {
    if (!is_usable_name(attribute.name))
      return "attribute name " + quote_for_message(attribute.name) + " cannot be written in a text";
    names_.insert(attribute.name.data());
  }
  if (is_known(attribute.value.storage())) return {};
  const std::string fault = check(context, attribute.value, 0).fault;
  return fault.empty() ? fault : "attribute '" + std::string(attribute.name) + "': " + fault;
}

void ValueChecks::merge(Finding& into, const Finding& part, std::size_t depth) {
  if (!into.fault.empty()) return;
  into.fault = part.fault;
  into.levels = std::max(into.levels, part.levels + 1);
  if (into.fault.empty() && depth + into.levels > limits::nesting) into.fault = too_deep();
}

ValueChecks::Finding ValueChecks::check(const Context& context, Type type, std::size_t depth) {
  if (!type) return {"the type is missing", 0};
  if (const auto known = levels_.find(type.storage()); known != levels_.end())
    return {{}, known->second};
  if (depth > limits::nesting) return {too_deep(), 0};
  const TypeDefinition* definition = context.registry().type(type.name());
  if (definition == nullptr) return {"unknown type " + quote_for_message(type.name()), 0};
  if (definition->verify == nullptr && !type.parameters().empty())
    return {"type '" + std::string(type.name()) + "' takes no parameters (" +
                std::to_string(type.parameters().size()) + " given)",
            0};
  Finding finding;
  for (Attribute parameter : type.parameters())
    merge(finding, check(context, parameter, depth + 1), depth);
  if (finding.fault.empty() && definition->verify != nullptr)
    if (const Status status = definition->verify(type); !status)
      finding.fault = status.error().message;
  if (finding.fault.empty()) levels_.emplace(type.storage(), finding.levels);
  return finding;
}

ValueChecks::Finding ValueChecks::check(const Context& context, Attribute attribute,
                                        std::size_t depth) {
  if (!attribute) return {"a value is missing", 0};
  if (const auto known = levels_.find(attribute.storage()); known != levels_.end())
    return {{}, known->second};
  if (depth > limits::nesting) return {too_deep(), 0};
  Finding finding;
  switch (attribute.kind()) {
    case AttributeKind::string:
    case AttributeKind::word:
    case AttributeKind::symbol: finding = check_text(attribute); break;
    case AttributeKind::type: finding = check(context, attribute.type(), depth); break;
    case AttributeKind::array:
      if (attribute.array().empty()) merge(finding, {}, depth);
      for (Attribute element : attribute.array())
        merge(finding, check(context, element, depth + 1), depth);
      break;
    case AttributeKind::dictionary:
      if (attribute.dictionary().empty()) merge(finding, {}, depth);
      for (const NamedAttribute& entry : attribute.dictionary()) {
        if (!is_usable_name(entry.name))
          return {"key " + quote_for_message(entry.name) + " cannot be written in a text", 0};
        merge(finding, check(context, entry.value, depth + 1), depth);
      }
      break;
    case AttributeKind::boolean:
    case AttributeKind::integer:
    case AttributeKind::floating:
    case AttributeKind::data: break;
  }
  if (finding.fault.empty()) levels_.emplace(attribute.storage(), finding.levels);
  return finding;
}

ValueChecks::Finding ValueChecks::check_text(Attribute attribute) {
  const std::string_view text = attribute.text();
  const bool writable = attribute.kind() == AttributeKind::string || text.empty()
                            ? find_invalid_utf8(text) == std::string_view::npos
                            : is_usable_name(text);
  if (writable) return {};
  return {"text " + quote_for_message(text) +
              " cannot be written (it must be utf-8, and a name at most " +
              std::to_string(maximum_name_bytes) + " bytes without NUL)",
          0};
}

}  // namespace accy::choir
