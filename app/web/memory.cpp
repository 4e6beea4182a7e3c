#include <cstdlib>

#include "app/web/calls.h"

void* ms_room(std::size_t bytes) { return std::malloc(bytes); }
void ms_free(void* room) { std::free(room); }
