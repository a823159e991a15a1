# python.cmake - the CPython extension and its package, importable from the build tree: PYTHONPATH=build/python.
# In: KARAT_PYTHON_EXECUTABLE, python/<folder>/*.c, python/karat/**/*.py, and its lists (*.txt).
# Out: python/karat/_karat.<abi>.so beside links to those files.
# The interpreter itself says where its headers are; without headers the rest of the build goes on.
glob_sources(python_sources ${CMAKE_SOURCE_DIR}/python/*/*.c)
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/python ${CMAKE_SOURCE_DIR}/python/*.py
     ${CMAKE_SOURCE_DIR}/python/*.txt)

foreach(file IN LISTS python_files)
    get_filename_component(folder ${file} DIRECTORY)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/${folder})
    set(link ${CMAKE_BINARY_DIR}/python/${file})
    set(target "")
    if(IS_SYMLINK ${link})
        file(READ_SYMLINK ${link} target)
    endif()
    if(NOT target STREQUAL ${CMAKE_SOURCE_DIR}/python/${file}) # a program that runs meanwhile would miss a link that is made anew
        file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python/${file} ${link} SYMBOLIC)
    endif()
endforeach()

if(SKBUILD AND Python_EXECUTABLE) # a wheel is for the interpreter that pip runs on
    set(KARAT_PYTHON_EXECUTABLE ${Python_EXECUTABLE})
endif()
if(NOT KARAT_PYTHON OR NOT python_sources)
    return()
endif()
execute_process(
    COMMAND ${KARAT_PYTHON_EXECUTABLE} -c
        "import sysconfig as s; print(s.get_path('include'), s.get_config_var('EXT_SUFFIX'), sep=';', end='')"
    OUTPUT_VARIABLE python_facts RESULT_VARIABLE python_failed ERROR_QUIET)
if(NOT python_failed)
    list(GET python_facts 0 python_include)
    list(GET python_facts 1 python_suffix)
endif()
if(python_failed OR NOT EXISTS ${python_include}/Python.h)
    message(STATUS "no Python headers for ${KARAT_PYTHON_EXECUTABLE}: the extension is not built")
    return()
endif()

add_library(karat_python MODULE ${python_sources})
set_target_properties(karat_python PROPERTIES PREFIX "" OUTPUT_NAME _karat SUFFIX ${python_suffix}
    C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/karat)
target_include_directories(karat_python SYSTEM PRIVATE ${python_include})
target_include_directories(karat_python PRIVATE python src)
target_compile_options(karat_python PRIVATE -fno-plt)
target_link_libraries(karat_python PRIVATE karat karat_flags)

# Stubs for type checkers, made from the table by asking the built package; a sanitized one cannot be imported just so.
if(NOT KARAT_SANITIZED)
    add_custom_command(TARGET karat_python POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1
                ${KARAT_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_stubs.py ${CMAKE_BINARY_DIR}/python/karat
        # Where Python may not write bytecode itself, an import would else compile every file anew.
        COMMAND ${KARAT_PYTHON_EXECUTABLE} -m compileall -q ${CMAKE_BINARY_DIR}/python/karat
        VERBATIM)
endif()

# ---- the wheel: scikit-build-core installs this component alone ----
set_target_properties(karat_python PROPERTIES INSTALL_RPATH "$ORIGIN")
if(SKBUILD)
    set_target_properties(karat PROPERTIES VERSION ${PROJECT_VERSION_MAJOR}) # one file: wheels hold no links
    install(TARGETS karat LIBRARY DESTINATION karat NAMELINK_SKIP COMPONENT wheel)
    install(TARGETS karat_python LIBRARY DESTINATION karat COMPONENT wheel)
    set_target_properties(karat_command PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS karat_command RUNTIME DESTINATION karat/_bin COMPONENT wheel) # the console script hands it its words
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/karat DESTINATION . COMPONENT wheel FILES_MATCHING PATTERN "*.py"
        PATTERN "*.txt")
    install(DIRECTORY ${CMAKE_BINARY_DIR}/python/karat DESTINATION . COMPONENT wheel
        FILES_MATCHING PATTERN "*.pyi" PATTERN "py.typed")
endif()
