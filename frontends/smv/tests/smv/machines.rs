//! The models of this repository, run by hand from text to circuit.

use hyperkill_core::product::Variant;

use crate::support::{Machine, model};

fn run(name: &str, steps: &[&str]) -> Vec<String> {
    Machine::new(&model(name)).run(Variant::Original, steps)
}

#[test]
fn the_car_alarm_goes_off_when_a_guarded_car_is_opened_and_ends_when_it_is_unlocked() {
    let seen = run(
        "car-alarm",
        &[
            "event=close",
            "event=lock",
            "event=none",
            "event=open",
            "event=none",
            "event=close",
            "event=none",
            "event=open",
            "event=unlock",
            "",
        ],
    );
    let (off, guard) = (
        "armed=FALSE flash=FALSE sound=FALSE",
        "armed=TRUE flash=FALSE sound=FALSE",
    );
    let alarm = "armed=FALSE flash=TRUE sound=TRUE";
    let fading = "armed=FALSE flash=FALSE sound=TRUE";
    assert_eq!(
        seen,
        [
            off, off, guard, guard, alarm, fading, off, guard, alarm, off
        ]
    );
}

#[test]
fn the_timed_car_alarm_keeps_to_its_times() {
    let mut steps = vec!["event=close", "event=lock"];
    steps.extend(["event=none"; 21]);
    steps.push("event=open");
    steps.extend(["event=none"; 302]);
    steps.push("event=close");
    steps.extend(["event=none"; 2]);
    let seen = run("car-alarm-timed", &steps);
    let first = |what: &str| seen.iter().position(|view| view.contains(what)).unwrap();
    let last = |what: &str| seen.iter().rposition(|view| view.contains(what)).unwrap();
    // Closed and locked from step 2; armed 20 ticks later.
    assert_eq!(first("armed=TRUE"), 22);
    assert_eq!(first("flash=TRUE"), 24);
    assert_eq!(first("sound=TRUE"), 24);
    assert_eq!(last("flash=TRUE") - first("flash=TRUE") + 1, 30);
    assert_eq!(last("sound=TRUE") - last("flash=TRUE"), 270);
    assert!(seen.last().unwrap().starts_with("armed=TRUE"));
}

#[test]
fn the_elevator_serves_calls_ahead_before_it_turns() {
    let seen = run(
        "elevator",
        &[
            "call=floor2",
            "call=floor1",
            "call=floor0",
            "call=none",
            "call=none",
            "call=none",
            "call=none block=TRUE",
            "call=none",
            "call=none",
            "call=none",
            "call=none",
            "call=none",
            "call=none",
        ],
    );
    let expected = [
        "floor=0 door=closed motor=still",
        "floor=1 door=closed motor=rise",
        "floor=1 door=opened motor=still",
        "floor=1 door=opened motor=still",
        "floor=1 door=opened motor=still",
        "floor=2 door=closed motor=rise",
        "floor=2 door=opened motor=still",
        "floor=2 door=opened motor=still",
        "floor=2 door=opened motor=still",
        "floor=2 door=opened motor=still",
        "floor=1 door=closed motor=sink",
        "floor=0 door=closed motor=sink",
        "floor=0 door=opened motor=still",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_traffic_light_changes_for_people_who_then_walk() {
    let mut steps = vec!["button=TRUE"];
    steps.extend([""; 12]);
    let seen = run("traffic-light", &steps);
    let expected = [
        "main_light=green side_light=red walk=FALSE",
        "main_light=green side_light=red walk=FALSE",
        "main_light=green side_light=red walk=FALSE",
        "main_light=green side_light=red walk=FALSE",
        "main_light=amber side_light=red walk=FALSE",
        "main_light=amber side_light=red walk=FALSE",
        "main_light=red side_light=red walk=FALSE",
        "main_light=red side_light=green walk=TRUE",
        "main_light=red side_light=green walk=TRUE",
        "main_light=red side_light=green walk=TRUE",
        "main_light=red side_light=amber walk=FALSE",
        "main_light=red side_light=amber walk=FALSE",
        "main_light=red side_light=red walk=FALSE",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_queue_gives_items_back_in_order_and_reports_misuse() {
    let seen = run(
        "fifo",
        &[
            "put=TRUE data=3",
            "put=TRUE data=1",
            "put=TRUE data=2",
            "put=TRUE data=0",
            "put=TRUE take=TRUE data=0",
            "take=TRUE",
            "take=TRUE",
            "take=TRUE",
            "take=TRUE",
            "",
        ],
    );
    let expected = [
        "front=0 empty=TRUE full=FALSE fault=none",
        "front=3 empty=FALSE full=FALSE fault=none",
        "front=3 empty=FALSE full=FALSE fault=none",
        "front=3 empty=FALSE full=TRUE fault=none",
        "front=3 empty=FALSE full=TRUE fault=over",
        "front=1 empty=FALSE full=TRUE fault=none",
        "front=2 empty=FALSE full=FALSE fault=none",
        "front=0 empty=FALSE full=FALSE fault=none",
        "front=0 empty=TRUE full=FALSE fault=none",
        "front=0 empty=TRUE full=FALSE fault=under",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_larger_tanks_hold_as_many_drinks_as_their_names_say() {
    for (name, drinks) in [("beverage", 2), ("beverage-5", 5), ("beverage-20", 20)] {
        let seen = run(name, &vec!["inp=req next.out=tea"; drinks + 3]);
        let served = seen.iter().filter(|view| *view == "out=tea").count();
        assert_eq!(served, drinks, "{name}");
    }
}
