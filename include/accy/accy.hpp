// Everything a program that links accy needs.
#pragma once

#include "accy/host_tensor.hpp"
#include "accy/result.hpp"
#include "accy/session.hpp"
