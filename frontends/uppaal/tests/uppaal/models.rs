//! Small models to be read.

/// Returns a file with these global declarations, templates and `system` line.
pub(crate) fn model(declaration: &str, templates: &str, system: &str) -> String {
    format!(
        "<nta><declaration>{declaration}</declaration>{templates}<system>{system}</system></nta>"
    )
}

/// Returns a template `P` with a clock x, one location and one transition with this guard and update.
pub(crate) fn template(guard: &str, update: &str) -> String {
    format!(
        "<template><name>P</name><declaration>clock x;</declaration><location id=\"a\"/><init ref=\"a\"/><transition><source ref=\"a\"/>\
         <target ref=\"a\"/><label kind=\"guard\">{guard}</label><label kind=\"assignment\">{update}</label></transition></template>"
    )
}

/// The lamp that the documentation shows.
pub(crate) const LAMP: &str = include_str!("../../../../tests/models/uppaal/lamp/model.xml");

/// A process with nearly all constructs of the language.
pub(crate) const RICH: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<nta>
  <declaration><![CDATA[
    const int N = 3;
    typedef int[0, N - 1] id_t;
    typedef struct { int[0,7] level; bool on; } cell_t;
    broadcast chan tick[N]; urgent broadcast chan now; chan done;
    cell_t cells[id_t] = { { 1, true }, { 2, false }, { 3, true } };
    meta int[0,20] total;
    int add(int a, const int b) { return a + b; }
    void count() {
      int i;
      total = 0;
      for (i = 0; i < N; i++) { if (cells[i].on) total = add(total, cells[i].level); else total += 0; }
    }
  ]]></declaration>
  <template>
    <name>Part</name>
    <parameter>const id_t me, chan &amp;out, clock &amp;z</parameter>
    <declaration>clock y[2]; int[0,2] turn = me;</declaration>
    <location id="s"><name>Start</name><label kind="invariant">z &lt;= 5 &amp;&amp; y[0] &lt;= 2 * N</label></location>
    <location id="m"><name>Middle</name><committed/></location>
    <location id="e"><name>End</name></location>
    <init ref="s"/>
    <transition><source ref="s"/><target ref="m"/>
      <label kind="select">k : id_t</label>
      <label kind="guard">k != me and (turn == 2 imply y[1] &gt;= 1) &amp;&amp; forall (i : id_t) cells[i].level &gt; 0</label>
      <label kind="synchronisation">tick[k]?</label>
      <label kind="assignment">turn = k, y[1] = 0, cells[me].on = false, count()</label></transition>
    <transition controllable="false"><source ref="m"/><target ref="e"/>
      <label kind="guard">total == (sum (i : id_t) (cells[i].on ? cells[i].level : 0))</label>
      <label kind="synchronisation">out!</label><label kind="assignment">z = 0</label></transition>
    <transition controllable="false"><source ref="e"/><target ref="s"/>
      <label kind="guard">z &gt; 2 || z &lt; 1</label><label kind="assignment">z := 1</label></transition>
  </template>
  <system>clock w; Q(const id_t a) = Part(a, done, w); One = Q(1); system One;</system>
</nta>
"#;
