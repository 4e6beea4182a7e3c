#include "app/commands/lessons.h"

#include <ostream>

#include "app/session/files/load.h"

namespace maskscope {

int lessons(std::ostream& out) {
    for (const std::string& name : lesson_names()) {
        const Lesson lesson = load_lesson("lesson:" + name).lesson;
        out << lesson.name << '\t' << lesson.steps.size() << '\t' << lesson.title << '\n';
    }
    return 0;
}

}  // namespace maskscope
