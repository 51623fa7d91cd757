// plan_bufferization: gives every value of the host function a block.
#pragma once

#include "choir/pass.hpp"

namespace accy::memory {

/// Inputs and outputs become arguments (inputs first), constants and weights blocks of the constant
/// space, item results blocks of the arena or, where the program returns them, output arguments.
/// Items become host.item_into. Arena offsets are still zero; constants are packed here, since they
/// all live for ever.
choir::Pass plan_bufferization_pass();

}  // namespace accy::memory
