"""The page Online: spaces of the programs of examples/tuner with a search's path, the paper's figures beside ours, and
strategies of online tuning (python3 -m tools.farm online)."""
from dashboard.pages import number, percent
from examples.tuner import spaces

NOT_REACHED = "not reached"


def online_page(page):
    """Of each program the newest comparison of a device."""
    sections = []
    for device in page.site.devices:
        newest, live, empty = {}, {}, None
        for file in device.online:
            live.update({one["program"]: (file, one) for one in file.online["live"]})
            newest.update({one["program"]: (file, one) for one in file.online["spaces"]})
            empty = file.online["empty"] and (file, file.online["empty"]) or empty
        sections.append({"device": device, "spaces": [space_view(page, device, *newest[program], live.get(program))
                                                      for program in sorted(newest)],
                         "empty": empty_table(page, device, *empty) if empty else None})
    return {"sections": sections}


def space_view(page, device, file, space, live):
    name, own = f"{device.folder} {space['program']}", default_of(space)
    return {"program": space["program"], "space": space, "file": file.name, "online": file.online, "own": own,
            "figures": [map_figure(page, name, space, one) for one in space["maps"]],
            "paper": paper_table(page, name, device, space, own),
            "strategies": strategies_table(page, name, space),
            "live": live and {"file": live[0].name, "sections": live[1]["sections"],
                              "runs": live[1]["strategies"][0]["runs"], "table": live_table(page, name, live[1])}}


def default_of(space):
    """The default strategy's figures: the one whose path is drawn."""
    return next((one for one in space["strategies"] if one["name"] == space["path"]["strategy"]),
                space["strategies"][0])


def values_text(space, values):
    return ", ".join(f"{parameter['name']} {value}" for parameter, value in zip(space["parameters"], values))


def configurations(value):
    return (None, NOT_REACHED) if value is None else number(value, 0)


def paper_table(page, name, device, space, own):
    """Tables 2 to 4."""
    start, least = space["default"]["us"] / 1e3, space["optimum"]["us"] / 1e3
    rows = [[device.title, number(start, 4), number(least, 4), percent(1 - least / start, 1),
             configurations(own["configurations"]["median"]),
             "; ".join("/".join(map(str, space[which]["values"])) for which in ("default", "optimum")),
             f"measured, {space['date'][:10]}"]]
    table, published = spaces.PUBLISHED.get(space["program"], ("", []))
    for one in published:
        rows.append([one.gpu, number(one.default, 1), number(one.tuned, 1), percent(1 - one.tuned / one.default, 1),
                     one.iterations or None, one.blocks, f"2013, {table}"])
    return page.table(f"{name} paper", ["GPU", "default, ms", "optimum, ms", "time saved", "iterations",
                                        "block sizes by default; tuned", "source"], rows)


def strategies_table(page, name, space):
    rows = [[one["name"], one["by"], configurations(one["configurations"]["median"]),
             configurations(one["configurations"]["p95"]), percent(one["reached"] / max(one["runs"], 1)),
             percent(one["final"]["median"], 2), percent(one["final"]["p95"], 2), percent(one["regret"]["median"], 2),
             percent(one["regret"]["p95"], 2), number(one["measured"]["median"], 0)] for one in space["strategies"]]
    return page.table(f"{name} strategies", [
        "strategy", "of", "near after", "95 %", "reach it", "end", "end, 95 %", "regret", "regret, 95 %", "measured"],
        rows)


def live_table(page, name, live):
    rows = [[one["name"], configurations(one["configurations"]["median"]), number(one["reached"], 0),
             percent(one["final"]["median"], 2), percent(one["regret"]["median"], 2),
             number(one["measured"]["median"], 0), number(one["default_us"], 1), number(one["last_us"], 1),
             percent(one["worst"] - 1, 1)] for one in live["strategies"]]
    return page.table(f"{name} live", ["strategy", "near after", "reach it", "end", "regret", "measured", "default, us",
                                       "at the end, us", "worst run"], rows)


def map_figure(page, name, space, one):
    names = [parameter["name"] for parameter in space["parameters"]]
    down, across, optimum = one["down"], one["across"], space["optimum"]["values"]
    others = [k for k in range(len(names)) if k not in (down, across)]

    def place(values):
        return [one["columns"].index(values[across]), 0 if down is None else one["rows"].index(values[down]),
                all(values[k] == optimum[k] for k in others)]

    steps = space["path"]["steps"][:space["path"]["near"]]
    rest = "; ".join(f"{names[k]} {optimum[k]}" for k in others)
    title = names[across] if down is None else f"{names[down]} by {names[across]}"
    texts = [str(value) for value in one["columns"]]
    numbers = [[f"{names[across]} {text}", number(time, 3)] for text, time in zip(texts, one["times"][0])] \
        if down is None else [[str(row), *(number(time, 3) for time in line)]
                              for row, line in zip(one["rows"], one["times"])]
    return page.figure(
        f"{name} {title}", {"draw": "path", "x": texts, "y": [str(row) for row in one["rows"]], "xlabel": names[across],
                            "ylabel": "" if down is None else names[down], "times": one["times"],
                            "path": [place(values) for values in steps], "worst": spaces.WORST,
                            "default": place(space["default"]["values"]), "optimum": place(optimum)},
        f"{space['program']}: {title}", f"Time over {title}, with the path of a search.",
        (["values", "time / the optimum's"] if down is None else [names[down], *texts], numbers),
        f"At {rest}." if rest else "")


def empty_table(page, device, file, empty):
    """Table 1."""
    rows = [[device.title, threads, blocks, number(average, 2), number(deviation, 2), f"measured, {file.night}"]
            for threads, blocks, average, deviation in empty["rows"]]
    rows += [["GTX 680", threads, None, number(1e3 * average, 0), number(1e3 * deviation, 0), "2013, Table 1"]
             for threads, (average, deviation) in spaces.PUBLISHED_EMPTY.items()]
    return page.table(f"{device.folder} empty kernel", ["GPU", "threads", "blocks", "average, us", "deviation, us",
                                                        "source"], rows)
