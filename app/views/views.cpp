// Lists the views in the order of their tabs. A view is a folder here, and a line in this list.

#include "app/views/frameworks/frameworks_view.h"
#include "app/views/generation/generation_view.h"
#include "app/views/plane/plane_view.h"
#include "app/views/root_d/root_d_view.h"
#include "app/views/translator/translator_view.h"
#include "app/views/value_table/value_table.h"

namespace maskscope {

std::span<const ViewEntry* const> view_entries() {
    static constexpr const ViewEntry* all[] = {&translator_entry,  &plane_entry,
                                               &value_table_entry, &root_d_entry,
                                               &generation_entry,  &frameworks_entry};
    return all;
}

}  // namespace maskscope
