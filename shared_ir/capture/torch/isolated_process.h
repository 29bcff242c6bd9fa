// Code that may crash, in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Sends one message to the process that waits for it.
using SendMessage = std::function<void(std::string_view)>;

struct IsolatedRun {
  std::vector<std::string> messages;  // in order, those that arrived
  std::string failure;                // "was killed by signal 11 (...)", ...; empty: it returned
};

struct IsolationLimits {
  std::chrono::seconds time{60};
  size_t memory = size_t{4} << 30;  // bytes, beyond what this process has now
};

// Runs `body` in a fork of this process, and waits. The calling thread alone exists there: `body`
// must not wait for other threads, nor use a GPU. It starts with the signals' default actions, and
// leaves nothing behind but its messages; an exception that it throws is a failure.
//
// Throws UserError when no process can be started.
IsolatedRun run_isolated(const std::function<void(const SendMessage&)>& body,
                         const IsolationLimits& limits = {});

}  // namespace assay
