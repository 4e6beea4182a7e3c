#pragma once
// The line in which a path is typed: to open, to save as, to export to.

#include "app/app.h"

namespace maskscope {

void start_new(App& app);   // asks first where something is unsaved
void start_open(App& app);  // likewise, then the line
void start_save(App& app);  // to the file that is open; without one as save as
void start_save_as(App& app);
void start_export(App& app);  // what is on the bench, as PNG

}  // namespace maskscope
