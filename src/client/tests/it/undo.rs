//! Undo and redo: rows before, steps, rows after.

use betwixt_core::edit::{Did, Edit, EditFault, Spot};
use betwixt_core::id::ItemId;
use betwixt_core::register::Register;

use crate::world::World;

/// A list of one-letter items, and its items by letter.
fn list(texts: &str) -> (World, impl Fn(char) -> ItemId + use<>) {
    let mut world = World::new(2, 42);
    let letters: Vec<String> = texts.chars().map(String::from).collect();
    let items = world.add(0, &letters.iter().map(String::as_str).collect::<Vec<_>>());
    world.settle();
    world.pass(1_000);
    let texts = texts.to_owned();
    (world, move |letter| items[texts.find(letter).expect("a letter of the list")])
}

#[track_caller]
fn check(world: &World, rows: &str) {
    assert_eq!(world.texts(0).concat(), rows);
}

/// Moves, from the list `abcdef`; then undo, redo, undo.
#[track_caller]
fn check_move(items: &str, spot: impl Fn(&dyn Fn(char) -> ItemId) -> Spot, after: &str) {
    let (mut world, id) = list("abcdef");
    let items: Vec<ItemId> = items.chars().map(&id).collect();
    let moved = world.edit(0, &Edit::Move { items: items.clone(), spot: spot(&id) }).expect("moved");
    assert_eq!((moved.items, moved.did), (items.clone(), Did::Moved));
    check(&world, after);
    for _ in 0..3 {
        let undone = world.edit(0, &Edit::Undo).expect("undone");
        assert_eq!((undone.items.len(), undone.did, undone.left_alone), (items.len(), Did::Moved, 0));
        check(&world, "abcdef");
        world.edit(0, &Edit::Redo).expect("done again");
        check(&world, after);
    }
    world.settle();
    world.check();
}

#[test]
fn moves_of_blocks_go_back_and_forth_in_both_directions() {
    check_move("b", |id| Spot::After(id('d')), "acdbef");
    check_move("e", |_| Spot::Top, "eabcdf");
    check_move("bcd", |id| Spot::After(id('e')), "aebcdf");
    check_move("cd", |id| Spot::Before(id('b')), "acdbef");
    check_move("ab", |_| Spot::Bottom, "cdefab");
    check_move("ef", |_| Spot::Top, "efabcd");
    check_move("bdf", |_| Spot::Top, "bdface");
    check_move("db", |_| Spot::Bottom, "acefdb");
    check_move("cba", |id| Spot::After(id('d')), "dcbaef");
    check_move("fedcb", |id| Spot::Before(id('a')), "fedcba");
}

#[test]
fn several_steps_on_one_item_go_back_one_by_one() {
    let (mut world, id) = list("abc");
    for (n, text) in ["1", "2", "3"].into_iter().enumerate() {
        world.set(0, id('a'), text);
        world.edit(0, &Edit::Move { items: vec![id('a')], spot: [Spot::Bottom, Spot::Top][n % 2] }).expect("moved");
        world.pass(1_000);
    }
    check(&world, "bc3");
    let back = ["3bc", "2bc", "bc2", "bc1", "1bc", "abc"];
    for rows in back {
        assert_eq!(world.edit(0, &Edit::Undo).expect("undone").left_alone, 0);
        check(&world, rows);
    }
    for rows in back.iter().rev().skip(1).chain(&["bc3"]) {
        assert_eq!(world.edit(0, &Edit::Redo).expect("done again").left_alone, 0);
        check(&world, rows);
    }
    for rows in back {
        assert_eq!(world.edit(0, &Edit::Undo).expect("undone").left_alone, 0);
        check(&world, rows);
    }
}

#[test]
fn a_held_key_is_one_step_and_a_pause_ends_it() {
    let (mut world, id) = list("abcd");
    for _ in 0..2 {
        for spot in ['b', 'c'] {
            world.edit(0, &Edit::Move { items: vec![id('a')], spot: Spot::After(id(spot)) }).expect("moved");
            world.relay.clock.0 += 300;
        }
        world.relay.clock.0 += 1_000;
    }
    check(&world, "bcad");
    world.edit(0, &Edit::Undo).expect("undone");
    check(&world, "bcad");
    world.edit(0, &Edit::Undo).expect("undone");
    check(&world, "abcd");
    world.edit(0, &Edit::Undo).expect("the adding is undone");
    assert_eq!(world.edit(0, &Edit::Undo), Err(EditFault::NoStep("undo")));
}

#[test]
fn what_somebody_else_has_changed_since_is_left_alone() {
    let (mut world, id) = list("abcd");
    world.edit(0, &Edit::Move { items: vec![id('a'), id('b')], spot: Spot::Bottom }).expect("moved");
    world.set(0, id('c'), "C");
    world.settle();
    world.edit(1, &Edit::Move { items: vec![id('a')], spot: Spot::Top }).expect("moved");
    world.set(1, id('c'), "x");
    world.settle();
    check(&world, "axdb");
    assert_eq!(world.edit(0, &Edit::Undo).expect("a step").left_alone, 1);
    check(&world, "axdb");
    let undone = world.edit(0, &Edit::Undo).expect("undone");
    assert_eq!((undone.left_alone, undone.items), (1, vec![id('b')]));
    check(&world, "abxd");
}

#[test]
fn a_block_goes_back_though_what_stood_before_it_is_gone() {
    let (mut world, id) = list("abcd");
    world.edit(0, &Edit::Move { items: vec![id('b'), id('c')], spot: Spot::Bottom }).expect("moved");
    world.settle();
    let writes = vec![(id('a'), vec![Register::Deleted(true)])];
    world.edit(1, &Edit::Set { writes }).expect("deleted");
    world.settle();
    world.edit(0, &Edit::Undo).expect("undone");
    check(&world, "bcd");
}

#[test]
fn a_paste_is_one_step_in_one_run_and_the_registers_of_a_step_go_back_in_one_op() {
    let (mut world, id) = list("ab");
    let items: Vec<_> = ["1", "2", "3"].map(|text| vec![Register::Text(text.into())]).into();
    world.edit(0, &Edit::Add { spot: Spot::After(id('a')), items }).expect("added");
    check(&world, "a123b");
    let writes = vec![(id('a'), vec![Register::Text("A".into()), Register::Done(true)])];
    world.edit(0, &Edit::Set { writes }).expect("written");
    let before = world.peers[0].replica.unsent();
    world.edit(0, &Edit::Undo).expect("undone");
    assert_eq!(world.peers[0].replica.unsent(), before + 1);
    check(&world, "a123b");
    assert!(!world.peers[0].replica.shown().item(id('a')).expect("it is there").done());
    world.edit(0, &Edit::Undo).expect("undone");
    check(&world, "ab");
    world.edit(0, &Edit::Redo).expect("done again");
    check(&world, "a123b");
    assert_eq!(world.edit(0, &Edit::Title("t".into())).expect("titled").did, Did::Titled);
    world.settle();
    world.check();
}

#[test]
fn what_was_done_last_is_taken_back_by_a_program_that_starts_later() {
    let (mut world, id) = list("abcdef");
    world.edit(0, &Edit::Move { items: vec![id('b')], spot: Spot::Bottom }).expect("moved");
    world.set(0, id('c'), "C");
    check(&world, "aCdefb");
    world.peers[0].restart();
    world.edit(0, &Edit::Undo).expect("the text is there");
    world.peers[0].restart();
    world.edit(0, &Edit::Undo).expect("and what came before it");
    check(&world, "abcdef");
    world.settle();
    world.check();
    // One import is one step, also where it is longer than all that is kept otherwise.
    let texts: Vec<String> = (0..500).map(|number| format!("{number}")).collect();
    world.add(0, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    world.peers[0].restart();
    let undone = world.edit(0, &Edit::Undo).expect("it is there");
    assert_eq!((undone.items.len(), undone.did), (500, Did::Added));
    check(&world, "abcdef");
    world.settle();
    world.check();
}
