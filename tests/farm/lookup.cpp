// Prints the header's own choice of a policy, by its API on an emulated driver. test_table.py compares it with the
// stores. Lines of standard input, fields separated by tabs:
//
//     device, compute capability, cell, policy (or -: its own choice)
//
// Lines of standard output: the policy's source and text, or "invalid": a row of that policy does not serve the call.
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "tests/unit/fake_driver.h"
#include "tools/gp_cells.h"

#include <cstdlib>
#include <iostream>
#include <sstream>

static void need(bool good, const std::string &what) {
  if (good) return;
  std::cerr << what << ": " << gp_last_message() << "\n";
  exit(2);
}

int main() {
  static const char *const SOURCES[] = {"", "caller", "device", "capability", "class", "portable", "host"};
  std::string line, opened;
  gp_context *ctx = nullptr;
  cell_types types;
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr); // or each answer would be a write of its own
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    std::string device, capability, words, given;
    std::getline(fields, device, '\t');
    std::getline(fields, capability, '\t');
    std::getline(fields, words, '\t');
    std::getline(fields, given, '\t');
    if (opened != device + "\t" + capability) {
      gp_config config = gp_config_init();
      if (ctx) gp_close(ctx);
      fake::machine.name = device;
      fake::machine.capability = atoi(capability.c_str());
      config.backend = GP_BACKEND_CUDA;
      config.driver = fake::table();
      config.cache_dir = "";
      need(gp_open(&config, &ctx) == GP_SUCCESS, "gp_open");
      need(!cell_types_define(&types, ctx), "types");
      opened = device + "\t" + capability;
    }
    cell c;
    gp_policy asked, policy;
    gp_policy_source source;
    const char *wrong = parse_cell(words.c_str(), &c);
    need(!wrong, words);
    if (given != "-") need(!parse_policy(given.c_str(), &asked), given);
    gp_call call = cell_call(&types, &c, given == "-" ? nullptr : &asked);
    for (int role = 0; role < ROLE_COUNT; role++) { // addresses far apart, never read
      const bool is_input = role <= ROLE_in2 || (role == ROLE_keys && !cell_type(&c, ROLE_in));
      const uintptr_t at = (uintptr_t(role + 1) << 56) + (is_input ? unsigned(c.in_offset) : 0u);
      cell_bind(&c, &call, role, reinterpret_cast<void *>(at));
    }
    gp_result result = GP_SUCCESS;
    if (given != "-") {
      gp__request q;
      gp_policy served;
      call.policy = nullptr;
      need(gp__check_call(ctx->state, "lookup", &call, 0, 0, &q) == GP_SUCCESS, line);
      gp__shape h = gp__shape_of(&q);
      gp__shape_on(&h, &ctx->state->about);
      call.policy = &asked;
      if (!gp__row_serves(asked, &h, &served)) result = GP_E_POLICY;
    }
    if (result == GP_SUCCESS) result = gp_policy_origin(ctx, &call, &policy, &source);
    if (result == GP_E_POLICY) {
      std::cout << "invalid\n";
      continue;
    }
    need(result == GP_SUCCESS, line);
    char text[256];
    policy_text(&policy, text, sizeof text);
    std::cout << SOURCES[source] << "\t" << text << "\n";
  }
  if (ctx) gp_close(ctx);
  return 0;
}
