# Tables of a profile's events, column by column: blanks are shown as "_", so that the layout is compared and not only the words.
from torch.autograd.profiler_util import EventList, FunctionEvent


def event(i, name, begin, end, shapes, stack, memory, flops=0):
    return FunctionEvent(id=i, name=name, thread=0, start_us=begin, end_us=end, flops=flops, stack=stack, input_shapes=shapes,
                         cpu_memory_usage=memory)


def events(stacks, **options):
    made = EventList([event(1, "aten::linear", 0.0, 1500.5, [[5, 3], [2, 3], [2]], ["a.py(3): f", "b.py(4): g"][:stacks], 120),
                      event(2, "aten::addmm", 10.0, 500.25, [[2], [5, 3]], ["a.py(3): f"][:stacks], 96, 3000),
                      event(3, "x" * 60, 2000.0, 2e6, [], [], -70000, 5000000),
                      event(4, "aten::linear", 3e6, 4e6, [[5, 3], [2, 3], [2]], ["a.py(3): f", "b.py(4): g"][:stacks],
                            3 << 20)], **options)
    made._build_tree()
    return made


def show(title, table):
    print(title)
    print(table.replace(" ", "_"))


show("averages", events(0).key_averages().table())
show("sorted", events(0).key_averages().table(sort_by="cpu_time_total", row_limit=2))
show("narrow", events(0).key_averages().table(header="A header", max_name_column_width=20))
show("top level", events(0).key_averages().table(top_level_events_only=True))
show("memory", events(0, profile_memory=True).key_averages().table())
show("flops", events(0, with_flops=True).key_averages().table())
show("shapes", events(0).key_averages(group_by_input_shapes=True).table(max_shapes_column_width=15))
show("stacks", events(2).key_averages(group_by_stack_n=5).table())
show("short stacks", events(2).key_averages(group_by_stack_n=5).table(max_src_column_width=9))
show("events", events(0).table(time_unit="ms"))
print(events(0).total_average())
for one in events(0).key_averages():
    print(one)
